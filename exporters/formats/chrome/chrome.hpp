// Exports a report in Chrome's trace event format, as PyTorch's profiler (Kineto) writes it: for
// HTA, TensorBoard's plugin and chrome://tracing.
#pragma once

#include <cstdint>
#include <string>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/graph_nodes.hpp"
#include "exporters/formats/output.hpp"

namespace prof::formats {

struct ChromeTrace {
  std::int64_t rank = 0;        // number of this report among those of a distributed program
  std::int64_t world_size = 1;  // number of reports
  std::int64_t utc_start =
      0;  // ns since 1970 at time 0 of the report's views; not above 0: unknown
  // Name of the NVTX ranges that are steps of PyTorch's profiler. Numbers in names are ignored.
  // Empty: no ranges are steps.
  std::string step = {};
  // Which ranges the work of CUDA graphs has: of launches, in "External id"; of captures, as text.
  events::RangeOf range_of = events::RangeOf::kBoth;
};

// Exports the report. Memory grows by 40 bytes for each NVTX range or call, and by 28 bytes for
// each piece of GPU work.
base::Status export_chrome(const report::ReportReader& reader, const ChromeTrace& trace,
                           const Output& output);

}  // namespace prof::formats
