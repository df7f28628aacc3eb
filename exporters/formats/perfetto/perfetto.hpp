// Exports a report as a trace for Perfetto: ui.perfetto.dev and trace_processor.
#pragma once

#include <cstdint>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/graph_nodes.hpp"
#include "exporters/formats/output.hpp"

namespace prof::formats {

// How the work of GPUs is shown.
enum class GpuTracks {
  kPlain,  // as rows of slices, with links from the calls that launched the work
  kNative  // as Perfetto's render stages, which fill its table gpu_slice
};

struct PerfettoOptions {
  GpuTracks gpu_tracks = GpuTracks::kPlain;
  std::int64_t utc_start =
      0;  // ns since 1970 at time 0 of the report's views; not above 0: unknown
  // Whether work of CUDA graphs says where it was captured (not with kLaunch).
  events::RangeOf range_of = events::RangeOf::kBoth;
};

// Exports the report. Events are written while the report is read. Memory grows with the pieces of
// GPU work (24 bytes each) and with the samples, not with the calls and ranges.
base::Status export_perfetto(const report::ReportReader& reader, const PerfettoOptions& options,
                             const Output& output);

}  // namespace prof::formats
