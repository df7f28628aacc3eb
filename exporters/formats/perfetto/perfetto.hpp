// Exports a report as a trace for Perfetto: ui.perfetto.dev and trace_processor.
#pragma once

#include <cstdint>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/formats/output.hpp"

namespace prof::formats {

// How the work of GPUs is shown.
enum class GpuTracks {
  kPlain,  // as rows of slices, with links from the calls that launched the work
  kNative  // as Perfetto's render stages, which fill its table gpu_slice
};

// Exports the report. Events are written while the report is read. Memory grows with the pieces of
// GPU work (24 bytes each) and with the samples, not with the calls and ranges. `shift` was added
// to the times of the report's views (events::ExportSelection).
base::Status export_perfetto(const report::ReportReader& reader, GpuTracks gpu_tracks,
                             std::int64_t shift, const Output& output);

}  // namespace prof::formats
