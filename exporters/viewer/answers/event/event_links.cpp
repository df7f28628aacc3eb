#include "exporters/viewer/answers/event/event_links.hpp"

#include <algorithm>
#include <tuple>

namespace prof::view {

using timeline::Event;
using timeline::Row;
using timeline::RowKind;
using timeline::Snapshot;

namespace {

// The maximum number of contained events that are counted, so that a request stays short.
constexpr std::size_t kMaxCounted = 200'000;

bool is_same(const Event& a, const Event& b) {
  return std::tuple(a.row, a.source, a.id) == std::tuple(b.row, b.source, b.id);
}

bool is_range_row(RowKind kind) { return kind == RowKind::kNvtx || kind == RowKind::kPython; }

bool is_call_row(RowKind kind) {
  return kind == RowKind::kCudaApi || kind == RowKind::kLibrary || kind == RowKind::kMpi ||
         kind == RowKind::kOsrt || kind == RowKind::kSyscall;
}

class LinkFinder {
 public:
  LinkFinder(const Snapshot& snapshot, const Event& event)
      : snapshot_(snapshot), event_(event), row_(*snapshot.row(event.row)) {}

  EventLinks find() {
    add_launches();
    add_ranges();
    add_projections();
    add_contents();
    add_path();
    if (const auto other = snapshot_.same_name_before(event_)) add("same name before", *other);
    if (const auto other = snapshot_.same_name_after(event_)) add("same name after", *other);
    return std::move(result_);
  }

 private:
  void add(const char* relation, const Event& other) {
    if (!is_same(other, event_)) result_.all.push_back({relation, other});
  }
  void add_first(const char* relation, const std::vector<Event>& others) {
    for (std::size_t i = 0; i < std::min(others.size(), EventLinks::kMaximum); ++i)
      add(relation, others[i]);
    if (others.size() > EventLinks::kMaximum) result_.more += others.size() - EventLinks::kMaximum;
  }

  void add_launches() {
    const Snapshot::Linked linked = snapshot_.linked(event_, EventLinks::kMaximum);
    const bool is_call = row_.thread.has_value();
    if (!is_call) {
      add_first("launched by", linked.calls);
      return;
    }
    add_first("launches", linked.work);
    result_.more += linked.more;
  }

  // Adds the ranges around the event, or around the call that launched it, innermost first.
  void add_ranges() {
    const auto call = row_.thread ? std::optional(event_) : launch_of(snapshot_, event_);
    if (!call) return;
    const Row& row = *snapshot_.row(call->row);
    std::vector<Event> around;
    for (const Row& each : snapshot_.rows()) {
      if (!is_range_row(each.kind) || each.thread != row.thread || each.report != row.report)
        continue;
      snapshot_.visit(each.id, {call->start, call->start}, [&](const Event& range) {
        const bool is_outer = range.start <= call->start && range.end >= call->end &&
                              !range.instant && !is_same(range, *call);
        const bool is_above = range.row != call->row || range.lane < call->lane;
        if (is_outer && is_above) around.push_back(range);
        return true;
      });
    }
    std::sort(around.begin(), around.end(), [](const Event& a, const Event& b) {
      return std::tuple(b.start, a.end, b.lane) < std::tuple(a.start, b.end, a.lane);
    });
    add_first("range", around);
  }

  // Adds the projection of a range on the GPU: from the first to the last operation that it
  // launched.
  void add_projections() {
    if (!is_range_row(row_.kind) && row_.kind != RowKind::kNvtxGpu) return;
    const std::string& table = row_.tables.at(event_.source);
    if (row_.kind == RowKind::kNvtxGpu) {
      if (const auto range = snapshot_.event_of(row_.report, table, event_.rowid))
        add("range", *range);
      return;
    }
    std::vector<Event> projected;
    for (const Row& each : snapshot_.rows()) {
      if (each.kind != RowKind::kNvtxGpu || each.report != row_.report) continue;
      const auto source = std::find(each.tables.begin(), each.tables.end(), table);
      if (source == each.tables.end()) continue;
      if (const auto found = snapshot_.event(
              each.id, static_cast<std::uint8_t>(source - each.tables.begin()), event_.id))
        projected.push_back(*found);
    }
    add_first("on the GPU", projected);
  }

  // Adds the ranges directly inside of a range or, if there are none, the calls inside it.
  void add_contents() {
    if (!is_range_row(row_.kind) || event_.instant) return;
    const std::size_t before = result_.all.size();
    add_inside(row_, [&](const Event& each) { return each.lane == event_.lane + 1; });
    if (result_.all.size() > before) return;
    for (const Row& each : snapshot_.rows())
      if (is_call_row(each.kind) && each.thread == row_.thread && each.report == row_.report)
        add_inside(each, [](const Event& call) { return call.lane == 0; });
  }
  // Adds the event that a stretch of the critical path belongs to, or the stretches of an event
  // that lie in its time.
  void add_path() {
    if (row_.kind == RowKind::kPath) {
      const std::string& table = row_.tables.at(event_.source);
      if (table.empty()) return;
      if (const auto event = snapshot_.event_of(row_.report, table, event_.rowid))
        add("part of", *event);
      return;
    }
    if (!event_.on_path) return;
    std::vector<Event> parts;
    for (const Row& each : snapshot_.rows())
      if (each.kind == RowKind::kPath && each.report == row_.report)
        snapshot_.visit(each.id, {event_.start, event_.end}, [&](const Event& part) {
          const bool is_same = part.rowid == event_.rowid &&
                               each.tables.at(part.source) == row_.tables.at(event_.source);
          if (is_same && part.start < event_.end && part.end > event_.start) parts.push_back(part);
          return true;
        });
    add_first("critical path", parts);
  }

  template <class Fits>
  void add_inside(const Row& row, Fits fits) {
    std::size_t shown = 0;
    std::size_t visited = 0;
    snapshot_.visit(row.id, {event_.start, event_.end}, [&](const Event& each) {
      const bool is_inside = each.start >= event_.start && each.end <= event_.end && fits(each);
      if (is_inside && shown++ < EventLinks::kMaximum) add("inside", each);
      return ++visited < kMaxCounted;
    });
    if (shown > EventLinks::kMaximum) result_.more += shown - EventLinks::kMaximum;
  }

  const Snapshot& snapshot_;
  const Event& event_;
  const Row& row_;
  EventLinks result_;
};

}  // namespace

std::optional<Event> launch_of(const Snapshot& snapshot, const Event& event) {
  const Snapshot::Linked linked = snapshot.linked(event);
  if (linked.calls.empty()) return std::nullopt;
  // The outer call is returned, because a call of the runtime contains the driver's call.
  return *std::min_element(linked.calls.begin(), linked.calls.end(),
                           [](const Event& a, const Event& b) { return a.start < b.start; });
}

EventLinks links_of(const Snapshot& snapshot, const Event& event) {
  return LinkFinder(snapshot, event).find();
}

}  // namespace prof::view
