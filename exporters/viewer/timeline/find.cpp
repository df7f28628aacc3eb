// Events by name, in the order of time.
#include <algorithm>
#include <queue>
#include <set>

#include "exporters/viewer/timeline/columns/row_data.hpp"
#include "exporters/viewer/timeline/snapshot.hpp"

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

bool find_from(Cursor& cursor, const NameSet& names, std::int64_t offset) {
  const std::size_t end = cursor.events->end(cursor.lane);
  while (cursor.index < end && !names.has(cursor.events->name(cursor.index))) ++cursor.index;
  if (cursor.index == end) return false;
  cursor.start = cursor.events->start(cursor.index) + offset;
  return true;
}

}  // namespace

Hits Snapshot::find(const NameSet& names, const std::vector<RowId>& rows, std::int64_t after,
                    std::size_t limit) const {
  std::set<RowId> wanted;
  for (const RowId row : rows)
    for (const RowId each : with_rows_below(row)) wanted.insert(each);
  Hits hits;
  std::priority_queue<Cursor, std::vector<Cursor>, std::greater<>> next;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (!data_[i] || !data_[i]->events || (!rows.empty() && !wanted.contains(rows_[i].id)))
      continue;
    const EventLanes& events = *data_[i]->events;
    hits.total += events.count(names);
    const std::int64_t offset = reports_[rows_[i].report].offset;
    std::int64_t from = 0;
    if (__builtin_sub_overflow(after, offset, &from)) from = after;
    for (std::uint32_t lane = 0; lane < events.lanes(); ++lane) {
      const std::size_t first = from == INT64_MIN
                                    ? events.begin(lane)
                                    : events.first_from(lane, events.begin(lane), from + 1);
      Cursor cursor{i, &events, lane, first, 0};
      if (find_from(cursor, names, offset)) next.push(cursor);
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
    if (find_from(cursor, names, reports_[rows_[cursor.row].report].offset)) next.push(cursor);
  }
  return hits;
}

}  // namespace prof::timeline
