#include "exporters/viewer/timeline/snapshot.hpp"

#include <algorithm>
#include <queue>
#include <set>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/viewer/timeline/columns/links.hpp"
#include "exporters/viewer/timeline/columns/row_data.hpp"
#include "exporters/viewer/timeline/columns/tile.hpp"

namespace prof::timeline {

namespace {

// The next event of a lane whose name is wanted.
struct Cursor {
  std::size_t row;  // index in Snapshot::rows()
  const EventLanes* events;
  std::uint32_t lane;
  std::size_t index;
  std::int64_t start;  // on the common clock
  bool operator>(const Cursor& other) const {
    return start != other.start ? start > other.start
                                : std::pair(row, lane) > std::pair(other.row, other.lane);
  }
};

// Queue lengths and thread states have a value at any time. Whether they are of interest depends on
// the events beside them.
bool follows_siblings(RowKind kind) { return kind == RowKind::kQueue || kind == RowKind::kState; }

// Ranges on the GPU are ranges of threads once more, what a CPU ran are states of threads, and the
// critical path consists of calls and operations.
bool shows_again(RowKind kind) {
  return kind == RowKind::kNvtxGpu || kind == RowKind::kCpu || kind == RowKind::kPath;
}

bool find_from(Cursor& cursor, const NameSet& names, const events::ClockMap& clock) {
  const std::size_t end = cursor.events->end(cursor.lane);
  while (cursor.index < end && !names.has(cursor.events->name(cursor.index))) ++cursor.index;
  if (cursor.index == end) return false;
  cursor.start = clock.common(cursor.events->start(cursor.index));
  return true;
}

}  // namespace

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
  if (row == nullptr || data == nullptr || level < 0 || level > kMaxLevel) return {};
  std::int64_t base = 0;
  // The maximum base of a tile. No event is further away, and no sum overflows.
  constexpr std::int64_t kMaxBase = std::int64_t{1} << 61;
  if (__builtin_mul_overflow(index, std::int64_t{TileGrid::kSteps} << level, &base) ||
      base > kMaxBase || base < -kMaxBase)
    return {};
  return make_tile(*row, *data, {reports_[row->report].clock.own(base), level}, base);
}

Event Snapshot::event_at(const Row& row, const RowData& data, std::size_t index) const {
  return event_at(row, data, data.events->lane_of(index), index);
}

Event Snapshot::event_at(const Row& row, const RowData& data, std::uint32_t lane,
                         std::size_t index) const {
  const EventLanes& events = *data.events;
  const events::ClockMap& clock = reports_[row.report].clock;
  Event event;
  event.row = row.id;
  event.lane = lane;
  event.start = clock.common(events.start(index));
  event.end = clock.common(events.end_of(index));
  event.name = events.name(index);
  event.source = events.source(index);
  event.id = events.id(index);
  event.rowid = data.rowid(event.source, event.id);
  event.open_end = events.has(index, kOpenEnd);
  event.instant = events.has(index, kInstant);
  event.has_links = data.is_linked(index);
  event.on_path = data.is_on_path(index, index + 1);
  return event;
}

void Snapshot::visit(RowId id, Span span, const Visit& visit) const {
  const Row* row = this->row(id);
  const RowData* data = this->data(id);
  if (row == nullptr || data == nullptr || !data->events) return;
  const EventLanes& events = *data->events;
  const std::int64_t from = reports_[row->report].clock.own(span.start);
  for (std::uint32_t lane = 0; lane < events.lanes(); ++lane) {
    for (std::size_t i = events.first_shown(lane, from); i < events.end(lane); ++i) {
      const Event event = event_at(*row, *data, lane, i);
      if (event.start > span.end) break;
      if (!visit(event)) return;
    }
  }
}

std::vector<RowId> Snapshot::used_rows(Span span) const {
  std::vector<bool> used(rows_.size());
  std::vector<std::size_t> above(rows_.size(), rows_.size());
  for (std::size_t i = 0; i < rows_.size(); ++i)
    if (const auto parent = indices_.find(rows_[i].parent); parent != indices_.end())
      above[i] = parent->second;
  // Parents come before their children, so this order visits them last.
  for (std::size_t i = rows_.size(); i-- > 0;) {
    used[i] = used[i] || is_used(i, span);
    if (used[i] && above[i] < rows_.size()) used[above[i]] = true;
  }
  std::vector<RowId> result;
  for (std::size_t i = 0; i < rows_.size(); ++i)
    if (used[i] || (follows_siblings(rows_[i].kind) && above[i] < rows_.size() && used[above[i]]))
      result.push_back(rows_[i].id);
  return result;
}

bool Snapshot::is_used(std::size_t index, Span span) const {
  const Row& row = rows_[index];
  const RowData* data = data_[index].get();
  if (data == nullptr) return false;
  if (!row.exact) return true;  // what a sample lacks may be there
  const events::ClockMap& clock = reports_[row.report].clock;
  const Span own{clock.own(span.start), clock.own(span.end)};
  if (data->counter && !follows_siblings(row.kind)) {
    for (std::uint32_t lane = 0; lane < data->counter->lanes(); ++lane) {
      const auto& samples = data->counter->samples(lane);
      const std::size_t first = data->counter->first_from(lane, own.start);
      if (first < samples.size() && samples[first].time <= own.end) return true;
    }
    return false;
  }
  // A thread that does not run in the span has a state, too, which alone does not count.
  const EventLanes* events = row.kind == RowKind::kState ? data->busy.get() : data->events.get();
  if (events == nullptr) return false;
  for (std::uint32_t lane = 0; lane < events->lanes(); ++lane) {
    const std::size_t first = events->first_shown(lane, own.start);
    if (first < events->end(lane) && events->start(first) <= own.end) return true;
  }
  return false;
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
    if (row.report != report || !data_[i] || !data_[i]->events || shows_again(row.kind)) continue;
    const auto at = std::find(row.tables.begin(), row.tables.end(), table);
    if (at == row.tables.end()) continue;
    const auto source = static_cast<std::uint8_t>(at - row.tables.begin());
    const auto id = data_[i]->id(source, rowid);
    const auto index = id ? data_[i]->events->find(source, *id) : std::nullopt;
    if (index) return event_at(row, *data_[i], *index);
  }
  return std::nullopt;
}

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

Hits Snapshot::find(const NameSet& names, const std::vector<RowId>& rows, std::int64_t after,
                    std::size_t limit) const {
  std::set<RowId> wanted;
  for (const RowId row : rows)
    for (const RowId each : with_rows_below(row)) wanted.insert(each);
  Hits hits;
  std::priority_queue<Cursor, std::vector<Cursor>, std::greater<>> next;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (!data_[i] || !data_[i]->events) continue;
    const bool is_wanted =
        rows.empty() ? !shows_again(rows_[i].kind) : wanted.contains(rows_[i].id);
    if (!is_wanted) continue;
    const EventLanes& events = *data_[i]->events;
    hits.total += events.count(names);
    if (after == INT64_MAX) continue;  // No event begins later.
    const events::ClockMap& clock = reports_[rows_[i].report].clock;
    const std::int64_t from = after == INT64_MIN ? after : clock.own(after + 1);
    for (std::uint32_t lane = 0; lane < events.lanes(); ++lane) {
      const std::size_t first = from == INT64_MIN
                                    ? events.begin(lane)
                                    : events.first_from(lane, events.begin(lane), from);
      Cursor cursor{i, &events, lane, first, 0};
      if (find_from(cursor, names, clock)) next.push(cursor);
    }
  }
  while (!next.empty()) {
    Cursor cursor = next.top();
    if (hits.events.size() >= limit && cursor.start > hits.events.back().start) {
      hits.next = hits.events.back().start;
      break;
    }
    next.pop();
    hits.events.push_back(event_at(rows_[cursor.row], *data_[cursor.row], cursor.index++));
    if (find_from(cursor, names, reports_[rows_[cursor.row].report].clock)) next.push(cursor);
  }
  return hits;
}

}  // namespace prof::timeline
