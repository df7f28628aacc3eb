// Computes how busy groups are: processes, threads, GPUs, contexts, streams.
#pragma once

#include <memory>
#include <vector>

#include "exporters/viewer/timeline/loading/row_tree.hpp"

namespace prof::timeline {

// A group, and the events that decide how busy it is.
struct Group {
  RowId row;
  std::vector<std::shared_ptr<const EventLanes>> busy;
  double share_read = 1;  // share of the events that was read
};

// Returns all groups of a report. Groups with the same events are adjacent.
std::vector<Group> groups_of(const RowTree& tree, std::uint32_t report);

// Sets the share of each thread and stream in the busy time of its siblings.
void set_shares(RowTree& tree, std::uint32_t report);

}  // namespace prof::timeline
