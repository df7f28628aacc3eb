// Exports samples in the formats of other tools.
#pragma once

#include <span>
#include <string_view>

#include "exporters/formats/output.hpp"
#include "exporters/formats/sample_profile.hpp"

namespace prof::formats {

struct SampleFormat {
  const char* name;
  events::FrameDetail detail;
  events::FrameDetail detail_with_lines;  // used with source lines of native code
  bool is_binary;
  base::Status (*write)(const SampleProfile& profile, const report::ReportReader& reader,
                        const Output& output);
};

std::span<const SampleFormat> sample_formats();

// Finds a kind by its name: cpu, python, osrt or cuda.
std::optional<events::SampleKind> sample_kind(std::string_view name);

// The source lines of native code.
struct SampleLines {
  const events::CodeLines* lines = nullptr;  // null: unknown
  bool are_shown = true;  // false: only the inlined functions count, in formats of functions
};

// Exports samples. Fails if the report has none of this kind.
base::Status export_samples(const report::ReportReader& reader, const SampleFormat& format,
                            events::SampleKind kind, const SampleLines& lines,
                            const Output& output);

using WriteSamples = base::Status(const SampleProfile& profile, const report::ReportReader& reader,
                                  const Output& output);

// The collapsed format of flamegraph.pl: one line for each call path.
WriteSamples write_collapsed;
// The file format of speedscope, with one profile for each thread.
WriteSamples write_speedscope;
// The profile.proto of pprof, compressed with gzip.
WriteSamples write_pprof;
// The processed profile format of profiler.firefox.com.
WriteSamples write_firefox;

}  // namespace prof::formats
