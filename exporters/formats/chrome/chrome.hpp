// Exports a report in Chrome's trace event format, as PyTorch's profiler (Kineto) writes it: for
// HTA, TensorBoard's plugin and chrome://tracing.
#pragma once

#include <cstdint>
#include <string>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/formats/output.hpp"

namespace prof::formats {

struct ChromeTrace {
  std::int64_t rank = 0;        // of this report among those of a distributed program
  std::int64_t world_size = 1;  // how many there are
  std::int64_t shift = 0;       // what was added to the times of the report's views
  // NVTX ranges of this name, whatever its numbers, are steps of PyTorch's profiler; empty: none.
  std::string step = {};
};

// Memory grows by 40 bytes an NVTX range or call, and 28 a piece of GPU work.
base::Status export_chrome(const report::ReportReader& reader, const ChromeTrace& trace,
                           const Output& output);

}  // namespace prof::formats
