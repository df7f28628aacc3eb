// api/event: all facts about one event.
#include <fmt/format.h>

#include "exporters/analysis/events/rows.hpp"
#include "exporters/viewer/answers/answer_cache.hpp"
#include "exporters/viewer/answers/event/column_texts.hpp"
#include "exporters/viewer/answers/event/event_capture.hpp"
#include "exporters/viewer/answers/event/event_chain.hpp"
#include "exporters/viewer/answers/event/event_facts.hpp"
#include "exporters/viewer/answers/event/event_links.hpp"
#include "exporters/viewer/answers/handlers.hpp"
#include "exporters/viewer/answers/row_parameters.hpp"
#include "exporters/viewer/timeline/timeline.hpp"

namespace prof::view {

namespace {

void add_times(Json& json, const timeline::Event& event) {
  json.pair("start", event.start).key("end");
  event.open_end ? json.null() : json.value(event.end);
}

void add_value(Json& json, const report::Statement& row, int column) {
  switch (row.type(column)) {
    case SQLITE_INTEGER:
      json.value(row.integer(column));
      break;
    case SQLITE_FLOAT:
      json.value(row.real(column));
      break;
    case SQLITE_TEXT:
      json.value(row.text(column).substr(0, report::kMaxTextBytes));
      break;
    default:
      json.null();
  }
}

base::Status add_columns(Json& json, const report::ReportReader& reader,
                         const timeline::Snapshot& snapshot, const timeline::Row& row,
                         const std::string& table, std::int64_t rowid) {
  ColumnTexts texts(reader, snapshot, row.report, table);
  json.key("columns").begin_list();
  const base::Status read = events::for_each_row(
      reader, fmt::format("SELECT * FROM main.{} WHERE rowid = {}", report::quoted(table), rowid),
      [&](const report::Statement& columns) {
        for (int i = 0; i < columns.columns(); ++i) {
          json.begin_object().pair("name", columns.column_name(i)).key("value");
          add_value(json, columns, i);
          json.pair("text", texts.text(columns, i)).end_object();
        }
      });
  json.end_list();
  return read;
}

void add_links(Json& json, const timeline::Snapshot& snapshot, const timeline::Event& event) {
  const EventLinks links = links_of(snapshot, event);
  json.key("links").begin_list();
  for (const auto& [relation, other] : links.all) {
    json.begin_object()
        .pair("relation", relation)
        .pair("row", other.row)
        .pair("source", other.source)
        .pair("id", other.id)
        .pair("name", snapshot.names().text(other.name))
        .pair("lane", other.lane);
    add_times(json, other);
    json.end_object();
  }
  json.end_list().pair("more_links", links.more);
}

// Adds what the report has about the event.
base::Status add_details(Json& json, const report::ReportReader& reader,
                         const timeline::Snapshot& snapshot, const timeline::Event& event,
                         const std::string& table, events::RangeOf range_of,
                         const events::CodeLines* lines) {
  const timeline::Row& row = *snapshot.row(event.row);
  auto facts = facts_of(reader, snapshot, event, table);
  if (!facts) return tl::make_unexpected(facts.error());
  const auto capture = capture_of(reader, snapshot, event, table);
  if (!capture) return tl::make_unexpected(capture.error());
  if (*capture && range_of != events::RangeOf::kLaunch)
    facts->emplace_back("Captured in", (*capture)->text);
  json.key("facts").begin_list();
  for (const auto& [name, text] : *facts) json.begin_list().value(name).value(text).end_list();
  json.end_list();
  if (table.empty()) {  // a stretch of the critical path that belongs to no event
    json.key("columns").begin_list().end_list().key("chain").begin_list().end_list();
    return {};
  }
  base::Status read = add_columns(json, reader, snapshot, row, table, event.rowid);
  if (!read) return read;
  const auto chain = *capture ? chain_of_call(reader, (*capture)->chain, lines)
                              : chain_of(reader, table, event.rowid, lines);
  if (!chain) return tl::make_unexpected(chain.error());
  json.key("chain").begin_list();
  for (const ChainFrame& each : *chain)
    json.begin_object()
        .pair("function", each.function)
        .pair("place", each.place)
        .pair("kind", each.kind)
        .end_object();
  json.end_list();
  return {};
}

}  // namespace

Outcome<Answer> answer_event(const Sources& sources, const Parameters& parameters) {
  const auto snapshot = sources.timeline->snapshot();
  const auto id = row_number(*snapshot, parameters, "row");
  if (!id) return tl::make_unexpected(id.error());
  const auto source = parameters.integer_in("source", 0, UINT8_MAX);
  if (!source) return tl::make_unexpected(source.error());
  const auto number = parameters.integer_in("id", 0, UINT32_MAX);
  if (!number) return tl::make_unexpected(number.error());
  const auto event =
      snapshot->event(*id, static_cast<std::uint8_t>(*source), static_cast<std::uint32_t>(*number));
  if (!event) return fault(404, "there is no such event");

  const timeline::Row& row = *snapshot->row(*id);
  const std::string& table = row.tables.at(event->source);
  const ServedReport& report = sources.reports[row.report];
  const auto reader = report.read();
  if (!reader) return tl::make_unexpected(reader.error());
  Json json;
  json.begin_object()
      .pair("row", event->row)
      .pair("source", event->source)
      .pair("id", event->id)
      .pair("table", table)
      .pair("name", snapshot->names().text(event->name));
  add_times(json, *event);
  json.pair("lane", event->lane);
  const auto lines = sources.kept->summary(sources, row.report).lines();
  if (const base::Status read =
          add_details(json, *reader, *snapshot, *event, table, sources.range_of, lines.get());
      !read)
    return unreadable(read.error());
  add_links(json, *snapshot, *event);
  json.end_object();
  if (const auto sound = report.readable(*reader); !sound)
    return tl::make_unexpected(sound.error());
  return Answer{json.take()};
}

}  // namespace prof::view
