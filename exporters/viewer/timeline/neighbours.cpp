// Events next to an event, and those that belong to it.
#include <algorithm>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/viewer/timeline/columns/links.hpp"
#include "exporters/viewer/timeline/columns/row_data.hpp"
#include "exporters/viewer/timeline/snapshot.hpp"

namespace prof::timeline {

std::optional<std::size_t> Snapshot::index_of(const Event& event) const {
  const RowData* data = this->data(event.row);
  if (data == nullptr || !data->events || event.lane >= data->events->lanes()) return std::nullopt;
  return data->events->find(event.source, event.id);
}

std::optional<Event> Snapshot::same_name_before(const Event& event) const {
  return same_name(event, false);
}

std::optional<Event> Snapshot::same_name_after(const Event& event) const {
  return same_name(event, true);
}

std::optional<Event> Snapshot::same_name(const Event& event, bool after) const {
  const auto own = index_of(event);
  if (!own) return std::nullopt;
  const RowData* data = this->data(event.row);
  const EventLanes& events = *data->events;
  const std::int64_t start = events.start(*own);
  std::optional<std::size_t> best;
  const auto is_nearer = [&](std::size_t i) {
    if (!best) return true;
    return after ? events.start(i) < events.start(*best) : events.start(i) > events.start(*best);
  };
  for (std::uint32_t lane = 0; lane < events.lanes(); ++lane) {
    const std::size_t begin = events.begin(lane);
    const std::size_t from = events.first_from(lane, begin, after ? start + 1 : start);
    const std::size_t count = after ? events.end(lane) - from : from - begin;
    for (std::size_t n = 0; n < count; ++n) {
      const std::size_t i = after ? from + n : from - 1 - n;
      if (!is_nearer(i)) break;
      if (events.name(i) != event.name) continue;
      best = i;
      break;
    }
  }
  if (!best) return std::nullopt;
  return event_at(*row(event.row), *data, *best);
}

Snapshot::Linked Snapshot::linked(std::uint32_t report, std::int64_t process,
                                  std::uint32_t correlation, std::size_t most) const {
  Linked result;
  if (report >= links_.size() || !links_[report]) return result;
  const auto add = [&](Links::Side side, std::vector<Event>& events) {
    for (const auto& [row, index] :
         links_[report]->places(events::global_pid_of(process), side, correlation)) {
      const Row* shown = this->row(row);
      const RowData* data = this->data(row);
      if (shown == nullptr || data == nullptr || !data->events) continue;
      if (events.size() == most)
        ++result.more;
      else
        events.push_back(event_at(*shown, *data, index));
    }
    std::stable_sort(events.begin(), events.end(),
                     [](const Event& a, const Event& b) { return a.start < b.start; });
  };
  add(Links::Side::kCall, result.calls);
  add(Links::Side::kWork, result.work);
  return result;
}

Snapshot::Linked Snapshot::linked(const Event& event, std::size_t most) const {
  const Row* row = this->row(event.row);
  const auto index = index_of(event);
  if (row == nullptr || !index || row->report >= links_.size() || !links_[row->report]) return {};
  const auto key = links_[row->report]->correlation({event.row, *index});
  return key ? linked(row->report, key->first, key->second, most) : Linked{};
}

}  // namespace prof::timeline
