// Makes rows from the links between calls and the GPU work that they launched.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "exporters/analysis/events/graph_nodes.hpp"
#include "exporters/viewer/timeline/columns/links.hpp"
#include "exporters/viewer/timeline/derived/derived_rows.hpp"

namespace prof::timeline {

// The calls and the work of a report. The object does not change.
struct LinkedEvents {
  using Events = std::shared_ptr<const EventLanes>;
  struct Work {
    RowId row;
    RowId stream;
    Events events;
    // For each event: the call that launched it, as index in `calls` and index in the call's row.
    struct Caller {
      std::uint32_t row;
      std::uint32_t index;
    };
    static constexpr std::uint32_t kNone = 0xffffffff;  // stands for a missing row
    std::vector<Caller> callers;
    std::shared_ptr<const std::vector<IdMap>> ids;
    std::vector<std::string> tables;
    // For each event: where its node of a graph was captured, in `nodes`. Empty: nothing is known.
    static constexpr std::int32_t kNoGraph = -1;
    static constexpr std::int32_t kUnknownOrigin = -2;
    std::vector<std::int32_t> origins;

    bool is_in_graph(std::size_t index) const {
      return !origins.empty() && origins[index] != kNoGraph;
    }
  };
  struct Calls {
    RowId row;
    Events events;
    std::vector<Events> ranges;  // NVTX rows of the same thread
    std::int64_t thread;         // globalTid
  };
  std::vector<Work> work;
  std::vector<Calls> calls;
  std::shared_ptr<const std::vector<IdMap>> range_ids;
  events::RangeOf range_of = events::RangeOf::kBoth;  // of work in graphs
  events::GraphNodes nodes;                           // empty if only the ranges of launches count
};
// Returns the rows, without their callers.
LinkedEvents linked_events(const RowTree& tree, std::uint32_t report);
void set_callers(LinkedEvents& linked, const Links& links);

// Returns the NVTX ranges projected on the GPU. On each stream a range lasts from the start of the
// first work that its thread launched in it to the end of the last such work. A range in which work
// of a graph was captured lasts, for each launch of the graph, as long as this work.
std::vector<DerivedRow> projected_ranges(const LinkedEvents& linked, const Names& names);

// Returns the number of launches that wait for the GPU, for each stream. A curve is made when its
// first tile is requested.
std::vector<DerivedRow> queue_lengths(const std::shared_ptr<const LinkedEvents>& linked);

}  // namespace prof::timeline
