// api/events: the events of a row and of the rows below it, as a table.
#include "exporters/viewer/answers/event_page.hpp"
#include "exporters/viewer/answers/handlers.hpp"
#include "exporters/viewer/answers/row_parameters.hpp"
#include "exporters/viewer/timeline/timeline.hpp"

namespace prof::view {

namespace {

constexpr std::int64_t kMaxEvents = 1000;
constexpr std::int64_t kUsualEvents = 100;
constexpr std::int64_t kMaxOffset = std::int64_t{1} << 40;

Outcome<PageRequest> page_request(const timeline::Snapshot& snapshot,
                                  const Parameters& parameters) {
  const auto row = row_number(snapshot, parameters, "row");
  if (!row) return tl::make_unexpected(row.error());
  const auto span = time_span(parameters);
  if (!span) return tl::make_unexpected(span.error());
  // The words are in the order of EventOrder.
  const auto sort = parameters.word("sort", {"start", "duration", "name"});
  if (!sort) return tl::make_unexpected(sort.error());
  const auto order = parameters.word("order", {"asc", "desc"});
  if (!order) return tl::make_unexpected(order.error());
  const auto offset = parameters.integer_in("offset", 0, kMaxOffset, 0);
  if (!offset) return tl::make_unexpected(offset.error());
  const auto limit = parameters.integer_in("limit", 1, kMaxEvents, kUsualEvents);
  if (!limit) return tl::make_unexpected(limit.error());
  return PageRequest{*row,
                     *span,
                     static_cast<EventOrder>(*sort),
                     *order == 1,
                     static_cast<std::size_t>(*offset),
                     static_cast<std::size_t>(*limit)};
}

}  // namespace

Outcome<Answer> answer_events(const Sources& sources, const Parameters& parameters) {
  const auto snapshot = sources.timeline->snapshot();
  const auto request = page_request(*snapshot, parameters);
  if (!request) return tl::make_unexpected(request.error());
  const EventPage page = event_page(*snapshot, *request);
  Json json;
  json.begin_object()
      .pair("total", page.total)
      .pair("offset", request->offset)
      .pair("exact", snapshot->exact())
      .key("events")
      .begin_list();
  for (const timeline::Event& event : page.events) add_event(json, *snapshot, event);
  json.end_list().end_object();
  return Answer{json.take()};
}

}  // namespace prof::view
