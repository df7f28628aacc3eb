// The parts of a Chrome trace.
#pragma once

#include <cstdint>
#include <vector>

#include "exporters/formats/chrome/chrome.hpp"
#include "exporters/formats/chrome/rows.hpp"
#include "exporters/formats/trace/gpu_links.hpp"

namespace prof::formats {

// The state that all parts use.
struct ChromeDocument {
  const report::ReportReader& reader;
  const TraceNames& names;
  ChromeEvents& events;
  ChromeRows& rows;
  GpuLinks& links;
  const ChromeTrace& trace;
  std::vector<std::uint32_t> ranges =
      {};                  // by link: the range around the call ("External id"), or 0
  std::int64_t steps = 0;  // number of steps that were written
};

// Writes NVTX ranges and marks, CUDA API calls and calls of libraries. Each is below the range or
// call around it on its thread.
base::Status write_chrome_program(ChromeDocument& document);
// Writes OS-runtime calls, system calls and prof's overhead.
base::Status write_chrome_system(ChromeDocument& document);
base::Status write_chrome_gpus(ChromeDocument& document);
// Writes GPU metrics and other sampled counters.
base::Status write_chrome_counters(ChromeDocument& document);

}  // namespace prof::formats
