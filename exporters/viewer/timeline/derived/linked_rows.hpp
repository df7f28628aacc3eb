// Rows that follow from which call launched which work on the GPU.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "exporters/viewer/timeline/columns/links.hpp"
#include "exporters/viewer/timeline/derived/derived_rows.hpp"

namespace prof::timeline {

// The calls and the work of a report. Does not change.
struct LinkedEvents {
  using Events = std::shared_ptr<const EventLanes>;
  struct Work {
    RowId row;
    RowId stream;
    Events events;
    // For each event the call that launched it: an index in `calls` and one in its row.
    struct Caller {
      std::uint32_t row;
      std::uint32_t index;
    };
    static constexpr std::uint32_t kNone = 0xffffffff;  // in place of a row
    std::vector<Caller> callers;
  };
  struct Calls {
    RowId row;
    Events events;
    std::vector<Events> ranges;  // the NVTX rows of the same thread
  };
  std::vector<Work> work;
  std::vector<Calls> calls;
  std::shared_ptr<const std::vector<IdMap>> range_ids;
};
// The rows, without their callers.
LinkedEvents linked_events(const RowTree& tree, std::uint32_t report);
void set_callers(LinkedEvents& linked, const Links& links);

// NVTX ranges on the GPU: on each stream a range lasts from the start of the first work that was
// launched in it, on its thread, to the end of the last.
std::vector<DerivedRow> projected_ranges(const LinkedEvents& linked);

// The number of launches that wait for the GPU, for each stream. The curves are made when their
// first tile is asked for.
std::vector<DerivedRow> queue_lengths(const std::shared_ptr<const LinkedEvents>& linked);

}  // namespace prof::timeline
