#include "exporters/analysis/events/graph_nodes.hpp"

#include <algorithm>
#include <tuple>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/rows.hpp"

namespace prof::events {

base::Result<GraphNodes> GraphNodes::read(const report::ReportReader& reader) {
  GraphNodes result;
  if (!reader.has_table(kGraphNodeTable)) return result;
  const base::Status read = for_each_event(
      reader,
      {kGraphNodeTable,
       {"globalTid", "graphNodeId", "originalGraphNodeId",
        report::column_or(reader, kGraphNodeTable, "callchainId")}},
      [&](const Times& times, const report::Row& row) {
        const std::int64_t original = row.integer_or(2, 0);
        std::int32_t origin = kNone;
        if (original == 0) {
          origin = static_cast<std::int32_t>(result.origins_.size());
          result.origins_.push_back({row.integer(0), times.start, row.integer_or(3, 0)});
        }
        result.events_.push_back(
            {process_of(row.integer(0)), row.integer(1), times.start, original, origin});
      });
  if (!read) return tl::make_unexpected(read.error());
  std::ranges::stable_sort(result.events_, {}, [](const Event& event) {
    return std::tuple(event.process, event.node, event.time);
  });
  result.follow_originals();
  return result;
}

// Returns the last event of the node until `time`, or null.
const GraphNodes::Event* GraphNodes::last(std::int64_t process, std::int64_t node,
                                          std::int64_t time) const {
  const auto after = std::ranges::upper_bound(
      events_, std::tuple(process, node, time), {},
      [](const Event& event) { return std::tuple(event.process, event.node, event.time); });
  if (after == events_.begin()) return nullptr;
  const Event& event = *std::prev(after);
  return event.process == process && event.node == node ? &event : nullptr;
}

// A clone may be of a clone: a graph in a graph is cloned with it, and once more when the outer one
// is instantiated.
void GraphNodes::follow_originals() {
  constexpr int kMaxClones = 64;  // only a damaged report has more
  for (Event& event : events_) {
    const Event* from = &event;
    for (int i = 0; from != nullptr && from->origin == kNone && i < kMaxClones; ++i) {
      const Event* next =
          from->original == 0 ? nullptr : last(from->process, from->original, from->time);
      from = next == from ? nullptr : next;
    }
    if (from != nullptr) event.origin = from->origin;
  }
}

std::int32_t GraphNodes::origin(std::int64_t global_pid, std::int64_t node,
                                std::int64_t time) const {
  if (node == 0 || events_.empty()) return kNone;
  const Event* event = last(process_of(global_pid), node, time);
  return event == nullptr ? kNone : event->origin;
}

}  // namespace prof::events
