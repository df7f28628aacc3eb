// api/rows: the tree of rows.
#include "exporters/viewer/answers/handlers.hpp"
#include "exporters/viewer/answers/outcome.hpp"
#include "exporters/viewer/answers/table_json.hpp"
#include "exporters/viewer/timeline/timeline.hpp"

namespace prof::view {

namespace {

void add_report(Json& json, const timeline::ReportEntry& report) {
  json.begin_object()
      .pair("path", report.path)
      .pair("name", report.name)
      .pair("id", report.id)
      .pair("offset", report.clock.offset)
      .pair("drift", report.clock.drift)
      .pair("middle", report.clock.middle)
      .end_object();
}

void add_row(Json& json, const timeline::Row& row) {
  json.begin_object().pair("id", row.id).key("parent");
  row.parent == timeline::kNoRow ? json.null() : json.value(row.parent);
  json.pair("kind", name_of(row.kind))
      .pair("style", name_of(row.style))
      .pair("name", row.name)
      .pair("note", row.note)
      .pair("lanes", row.lanes)
      .pair("events", row.events)
      .pair("duration", row.duration)
      .pair("report", row.report)
      .pair("version", row.version)
      .pair("exact", row.exact);
  add_texts(json, "tables", row.tables);
  if (row.share) json.pair("share", *row.share);
  if (row.style == timeline::RowStyle::kCounter) {
    json.pair("unit", row.unit);
    add_texts(json, "series", row.series);
  }
  json.end_object();
}

}  // namespace

Outcome<Answer> answer_rows(const Sources& sources, const Parameters&) {
  const auto snapshot = sources.timeline->snapshot();
  Json json;
  json.begin_object()
      .pair("version", snapshot->version())
      .pair("exact", snapshot->exact())
      .pair("progress", snapshot->progress())
      .key("reports")
      .begin_list();
  for (const timeline::ReportEntry& report : snapshot->reports()) add_report(json, report);
  const timeline::Span span = snapshot->span();
  json.end_list().key("span").begin_object().pair("start", span.start).pair("end", span.end);
  json.end_object().key("utcStart");
  snapshot->utc_start() ? json.value(*snapshot->utc_start()) : json.null();
  add_texts(json, "messages", snapshot->messages());
  json.key("rows").begin_list();
  for (const timeline::Row& row : snapshot->rows()) add_row(json, row);
  json.end_list();
  if (snapshot->awaits_path()) json.pair("awaits_path", true);
  if (sources.opening != 0) json.pair("opening", sources.opening);
  json.end_object();
  return Answer{json.take()};
}

}  // namespace prof::view
