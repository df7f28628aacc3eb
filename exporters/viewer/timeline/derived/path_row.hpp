// Makes the row of a critical path.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "exporters/analysis/path/path_events.hpp"
#include "exporters/viewer/timeline/loading/row_tree.hpp"
#include "exporters/viewer/timeline/names.hpp"

namespace prof::timeline {

// True for rows whose events can be on a critical path.
bool can_be_on_path(RowKind kind);

// The rows of a report whose events can be on a critical path.
struct PathTargets {
  struct Target {
    RowId row;
    std::shared_ptr<const EventLanes> events;
    std::shared_ptr<const std::vector<IdMap>> ids;  // null: ids are rowids
    std::vector<std::string> tables;
  };
  using Stream = std::tuple<std::int64_t, std::int64_t, std::int64_t>;  // process, device, stream

  std::map<std::int64_t, std::vector<Target>> calls;  // by globalTid
  std::map<Stream, std::vector<Target>> work;
  std::map<std::int64_t, std::string> threads;  // names, by globalTid
};
PathTargets path_targets(const RowTree& tree, std::uint32_t report);

struct PathRow {
  RowData data;
  std::vector<std::string> tables;  // the first is "": stretches that belong to no event
  // The events of other rows that are on the path, by row.
  std::unordered_map<RowId, std::shared_ptr<EventBits>> on_path;
};
// `path` is in the order of time, without overlaps.
PathRow path_row(const PathTargets& targets, const std::vector<path::PathEvent>& path,
                 Names& names);

}  // namespace prof::timeline
