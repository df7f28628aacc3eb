#include "exporters/viewer/answers/row_parameters.hpp"

#include <fmt/format.h>

namespace prof::view {

namespace {

constexpr std::size_t kMaxRows = 512;

Outcome<timeline::RowId> check_row(const timeline::Snapshot& snapshot, std::int64_t number) {
  const auto row = static_cast<timeline::RowId>(number);
  if (number < 0 || row != number || snapshot.row(row) == nullptr)
    return fault(404, "there is no row " + std::to_string(number));
  return row;
}

}  // namespace

Outcome<timeline::RowId> row_number(const timeline::Snapshot& snapshot,
                                    const Parameters& parameters, std::string_view name) {
  const auto number = parameters.integer(name);
  if (!number) return tl::make_unexpected(number.error());
  return check_row(snapshot, *number);
}

Outcome<std::vector<timeline::RowId>> row_list(const timeline::Snapshot& snapshot,
                                               const Parameters& parameters,
                                               std::string_view name) {
  const auto numbers = parameters.integers(name, kMaxRows);
  if (!numbers) return tl::make_unexpected(numbers.error());
  std::vector<timeline::RowId> rows;
  for (const std::int64_t number : *numbers) {
    const auto row = check_row(snapshot, number);
    if (!row) return tl::make_unexpected(row.error());
    rows.push_back(*row);
  }
  return rows;
}

Outcome<timeline::Span> time_span(const Parameters& parameters) {
  timeline::Span span;
  const auto from = parameters.integer("from", span.start);
  if (!from) return tl::make_unexpected(from.error());
  const auto to = parameters.integer("to", span.end);
  if (!to) return tl::make_unexpected(to.error());
  if (*to < *from) return fault(400, "parameter to is before parameter from");
  return timeline::Span{*from, *to};
}

void add_event(Json& json, const timeline::Snapshot& snapshot, const timeline::Event& event) {
  json.begin_object()
      .pair("row", event.row)
      .pair("source", event.source)
      .pair("id", event.id)
      .pair("name", snapshot.names().text(event.name))
      .pair("start", event.start)
      .key("end");
  event.open_end ? json.null() : json.value(event.end);
  json.pair("lane", event.lane).end_object();
}

void add_name(Json& json, const timeline::Names& names, std::uint32_t number) {
  const std::uint32_t color = names.color(number);
  if (color == timeline::Names::kNoColor)
    json.value(names.text(number));
  else
    json.begin_list()
        .value(names.text(number))
        .value(fmt::format("#{:06x}", color & 0xffffff))
        .end_list();
}

}  // namespace prof::view
