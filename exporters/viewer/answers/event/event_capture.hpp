// Says where an operation of a CUDA graph was captured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/viewer/timeline/snapshot.hpp"

namespace prof::view {

struct EventCapture {
  std::string text;    // the ranges and the line
  std::int64_t chain;  // CUDA_CALLCHAINS.id; 0: none
};

// Returns nothing for events that are not in graphs.
base::Result<std::optional<EventCapture>> capture_of(const report::ReportReader& reader,
                                                     const timeline::Snapshot& snapshot,
                                                     const timeline::Event& event,
                                                     const std::string& table);

}  // namespace prof::view
