// Computes facts from an event's columns and from the limits of the GPU.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/viewer/timeline/snapshot.hpp"

namespace prof::view {

using EventFacts = std::vector<std::pair<std::string, std::string>>;  // name, text

// Returns the shape and occupancy of a kernel, the rate of a copy, and for all work on the GPU how
// long it waited after its launch.
base::Result<EventFacts> facts_of(const report::ReportReader& reader,
                                  const timeline::Snapshot& snapshot, const timeline::Event& event,
                                  const std::string& table);

}  // namespace prof::view
