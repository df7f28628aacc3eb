// Samples in the formats of other tools.
#pragma once

#include <span>
#include <string_view>

#include "exporters/formats/output.hpp"
#include "exporters/formats/sample_profile.hpp"

namespace prof::formats {

struct SampleFormat {
  const char* name;
  events::FrameDetail detail;
  events::FrameDetail detail_with_lines;  // of native code
  bool is_binary;
  base::Status (*write)(const SampleProfile& profile, const report::ReportReader& reader,
                        const Output& output);
};

std::span<const SampleFormat> sample_formats();

// cpu, python, osrt or cuda; none of another name.
std::optional<events::SampleKind> sample_kind(std::string_view name);

// Fails if the report has no such samples. `lines`: of native code; null: without them.
base::Status export_samples(const report::ReportReader& reader, const SampleFormat& format,
                            events::SampleKind kind, const events::CodeLines* lines,
                            const Output& output);

using WriteSamples = base::Status(const SampleProfile& profile, const report::ReportReader& reader,
                                  const Output& output);

// Brendan Gregg's folded stacks, as flamegraph.pl takes them: a line for each path.
WriteSamples write_collapsed;
// speedscope's file format; a profile for each thread.
WriteSamples write_speedscope;
// profile.proto of pprof, gzipped.
WriteSamples write_pprof;
// The processed profile format of profiler.firefox.com.
WriteSamples write_firefox;

}  // namespace prof::formats
