// Makes rows from the links between calls and the GPU work that they launched.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

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
  };
  struct Calls {
    RowId row;
    Events events;
    std::vector<Events> ranges;  // NVTX rows of the same thread
  };
  std::vector<Work> work;
  std::vector<Calls> calls;
  std::shared_ptr<const std::vector<IdMap>> range_ids;
};
// Returns the rows, without their callers.
LinkedEvents linked_events(const RowTree& tree, std::uint32_t report);
void set_callers(LinkedEvents& linked, const Links& links);

// Returns the NVTX ranges projected on the GPU. On each stream a range lasts from the start of the
// first work that its thread launched in it to the end of the last such work.
std::vector<DerivedRow> projected_ranges(const LinkedEvents& linked);

// Returns the number of launches that wait for the GPU, for each stream. A curve is made when its
// first tile is requested.
std::vector<DerivedRow> queue_lengths(const std::shared_ptr<const LinkedEvents>& linked);

}  // namespace prof::timeline
