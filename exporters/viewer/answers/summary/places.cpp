#include "exporters/viewer/answers/summary/places.hpp"

#include <vector>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/numbered_names.hpp"

namespace prof::view {

using timeline::Event;
using timeline::kNoRow;
using timeline::Row;
using timeline::RowId;
using timeline::RowKind;

namespace {

bool is_of(const Row& row, const insight::Device& device) {
  return row.process && row.device == device.number &&
         events::process_of(*row.process) == events::process_of(device.global_pid);
}

}  // namespace

std::int64_t Places::common(std::int64_t time) const {
  return snapshot_.reports().at(report_).clock.common(time);
}

RowId Places::row_of_thread(std::int64_t thread) const {
  for (const Row& row : snapshot_.rows())
    if (row.report == report_ && row.kind == RowKind::kThread && row.thread == thread)
      return row.id;
  return kNoRow;
}

RowId Places::row_of(const insight::Device& device) const {
  for (const Row& row : snapshot_.rows())
    if (row.report == report_ && row.kind == RowKind::kContext && is_of(row, device))
      return row.parent;
  return kNoRow;
}

RowId Places::row_of_stream(const insight::Device& device, std::int64_t stream) const {
  for (const Row& row : snapshot_.rows())
    if (row.report == report_ && row.kind == RowKind::kStream && row.stream == stream &&
        is_of(row, device))
      return row.id;
  return kNoRow;
}

// Returns the event with exactly these times in a row or below it. If there is none, returns the
// first event that starts then.
std::optional<Event> Places::event_at(RowId above, const timeline::Span& span) const {
  std::optional<Event> found;
  for (const RowId row : snapshot_.with_rows_below(above)) {
    snapshot_.visit(row, {span.start, span.start}, [&](const Event& event) {
      const bool is_better = event.start == span.start && (!found || event.end == span.end);
      if (is_better) found = event;
      return !found || found->end != span.end;
    });
    if (found && found->end == span.end) break;
  }
  return found;
}

Places::Place Places::of(const analyze::Where& where) const {
  Place place{{common(where.time.start), common(where.time.end)}, kNoRow, {}};
  if (where.device && where.stream) {
    place.row = row_of_stream(*where.device, *where.stream);
    if (place.row != kNoRow) place.event = event_at(place.row, place.span);
  } else if (where.device) {
    place.row = row_of(*where.device);
  } else if (where.thread) {
    place.row = row_of_thread(*where.thread);
    if (place.row != kNoRow) place.event = event_at(place.row, place.span);
  }
  if (place.event) place.row = place.event->row;
  return place;
}

std::map<std::string, Event, std::less<>> Places::longest_by_name(RowKind kind) const {
  std::vector<std::optional<Event>> longest;  // by number of the name
  for (const Row& row : snapshot_.rows()) {
    if (row.kind != kind || row.report != report_) continue;
    snapshot_.visit(row.id, {}, [&](const Event& event) {
      if (event.name >= longest.size()) longest.resize(event.name + 1);
      auto& known = longest[event.name];
      if (!known || event.duration() > known->duration()) known = event;
      return true;
    });
  }
  std::map<std::string, Event, std::less<>> result;
  const auto add = [&](std::string name, const Event& event) {
    const auto [at, is_new] = result.try_emplace(std::move(name), event);
    if (!is_new && event.duration() > at->second.duration()) at->second = event;
  };
  for (const auto& event : longest) {
    if (!event) continue;
    const std::string name(snapshot_.names().text(event->name));
    const std::string numberless = events::without_numbers(name);
    add(name, *event);
    if (numberless != name) add(numberless, *event);
  }
  return result;
}

void Places::add(Json& json, const Place& place) {
  json.begin_object().pair("from", place.span.start).pair("to", place.span.end).key("row");
  place.row == kNoRow ? json.null() : json.value(place.row);
  json.key("source");
  place.event ? json.value(place.event->source) : json.null();
  json.key("id");
  place.event ? json.value(place.event->id) : json.null();
  json.end_object();
}

}  // namespace prof::view
