#include "exporters/viewer/timeline/snapshot.hpp"

#include <algorithm>
#include <set>

#include "exporters/viewer/timeline/columns/links.hpp"
#include "exporters/viewer/timeline/columns/tile.hpp"

namespace prof::timeline {

const Row* Snapshot::row(RowId id) const {
  const auto at = indices_.find(id);
  return at == indices_.end() ? nullptr : &rows_[at->second];
}

const RowData* Snapshot::data(RowId id) const {
  const auto at = indices_.find(id);
  return at == indices_.end() ? nullptr : data_[at->second].get();
}

std::vector<RowId> Snapshot::with_rows_below(RowId id) const {
  std::vector<RowId> result;
  std::set<RowId> above{id};
  const auto first = indices_.find(id);
  if (first == indices_.end()) return result;
  result.push_back(id);
  for (std::size_t i = first->second + 1; i < rows_.size() && above.contains(rows_[i].parent);
       ++i) {
    above.insert(rows_[i].id);
    result.push_back(rows_[i].id);
  }
  return result;
}

std::string Snapshot::tile(RowId id, int level, std::int64_t index) const {
  const Row* row = this->row(id);
  const RowData* data = this->data(id);
  if (row == nullptr || data == nullptr || level < 0 || level > kMostLevel) return {};
  std::int64_t base = 0;
  // No event is further away, and nothing can overflow.
  constexpr std::int64_t kMostBase = std::int64_t{1} << 61;
  if (__builtin_mul_overflow(index, std::int64_t{TileGrid::kSteps} << level, &base) ||
      base > kMostBase || base < -kMostBase)
    return {};
  return make_tile(*row, *data, {base - reports_[row->report].offset, level}, base);
}

Event Snapshot::event_at(const Row& row, const RowData& data, std::size_t index) const {
  return event_at(row, data, data.events->lane_of(index), index);
}

Event Snapshot::event_at(const Row& row, const RowData& data, std::uint32_t lane,
                         std::size_t index) const {
  const EventLanes& events = *data.events;
  const std::int64_t offset = reports_[row.report].offset;
  Event event;
  event.row = row.id;
  event.lane = lane;
  event.start = events.start(index) + offset;
  event.end = events.end_of(index) + offset;
  event.name = events.name(index);
  event.source = events.source(index);
  event.id = events.id(index);
  event.rowid = data.rowid(event.source, event.id);
  event.open_end = events.has(index, kOpenEnd);
  event.instant = events.has(index, kInstant);
  event.has_links = data.is_linked(index);
  return event;
}

void Snapshot::visit(RowId id, Span span, const Visit& visit) const {
  const Row* row = this->row(id);
  const RowData* data = this->data(id);
  if (row == nullptr || data == nullptr || !data->events) return;
  const EventLanes& events = *data->events;
  const std::int64_t offset = reports_[row->report].offset;
  for (std::uint32_t lane = 0; lane < events.lanes(); ++lane) {
    // A saturated difference: the span may be unlimited.
    std::int64_t from = 0;
    if (__builtin_sub_overflow(span.start, offset, &from)) from = span.start;
    for (std::size_t i = events.first_shown(lane, from); i < events.end(lane); ++i) {
      const Event event = event_at(*row, *data, lane, i);
      if (event.start > span.end) break;
      if (!visit(event)) return;
    }
  }
}

void Snapshot::visit_all(RowId id, Span span, const Visit& visit) const {
  bool go_on = true;
  const auto each = [&](const Event& event) { return go_on = visit(event); };
  for (const RowId row : with_rows_below(id))
    if (go_on) this->visit(row, span, each);
}

std::optional<Event> Snapshot::event(RowId id, std::uint8_t source, std::uint32_t number) const {
  const Row* row = this->row(id);
  const RowData* data = this->data(id);
  if (row == nullptr || data == nullptr || !data->events) return std::nullopt;
  const auto index = data->events->find(source, number);
  if (!index) return std::nullopt;
  return event_at(*row, *data, *index);
}

std::optional<Event> Snapshot::event_of(std::uint32_t report, std::string_view table,
                                        std::int64_t rowid) const {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Row& row = rows_[i];
    if (row.report != report || !data_[i] || !data_[i]->events) continue;
    const auto at = std::find(row.tables.begin(), row.tables.end(), table);
    if (at == row.tables.end()) continue;
    const auto source = static_cast<std::uint8_t>(at - row.tables.begin());
    const auto id = data_[i]->id(source, rowid);
    const auto index = id ? data_[i]->events->find(source, *id) : std::nullopt;
    if (index) return event_at(row, *data_[i], *index);
  }
  return std::nullopt;
}

}  // namespace prof::timeline
