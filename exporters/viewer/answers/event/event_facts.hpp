// What follows from an event's columns and from what is known about the GPU.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/viewer/timeline/snapshot.hpp"

namespace prof::view {

using EventFacts = std::vector<std::pair<std::string, std::string>>;  // name, text

// Of a kernel: its shape and occupancy. Of a copy: its rate. Of work on the GPU: how long it waited
// after its launch.
base::Result<EventFacts> facts_of(const report::ReportReader& reader,
                                  const timeline::Snapshot& snapshot, const timeline::Event& event,
                                  const std::string& table);

}  // namespace prof::view
