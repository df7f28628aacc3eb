#include "exporters/viewer/answers/report/report_scope.hpp"

#include <fmt/format.h>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/report_views.hpp"
#include "exporters/viewer/answers/row_parameters.hpp"
#include "exporters/viewer/timeline/timeline.hpp"

namespace prof::view {

namespace {

void select(const timeline::Row& row, events::EventFilter& filter) {
  if (row.thread) {
    filter.threads = {*row.thread};
    filter.processes = {events::process_of(*row.thread)};
  } else if (row.process) {
    filter.processes = {events::process_of(*row.process)};
  }
}

}  // namespace

Outcome<ReportScope> report_scope(const Sources& sources, const Parameters& parameters) {
  const auto snapshot = sources.timeline->snapshot();
  ReportScope scope;
  const auto span = time_span(parameters);
  if (!span) return tl::make_unexpected(span.error());
  if (parameters.has("row")) {
    const auto id = row_number(*snapshot, parameters, "row");
    if (!id) return tl::make_unexpected(id.error());
    const timeline::Row& row = *snapshot->row(*id);
    scope.index = row.report;
    select(row, scope.filter);
  } else {
    const auto last = static_cast<std::int64_t>(sources.reports.size()) - 1;
    const auto index = parameters.integer_in("report", 0, last, 0);
    if (!index) return tl::make_unexpected(index.error());
    scope.index = static_cast<std::size_t>(*index);
  }
  const events::ClockMap& clock = snapshot->reports().at(scope.index).clock;
  scope.span = {clock.own(span->start), clock.own(span->end)};
  scope.filter.start = scope.span.start;
  scope.filter.end = scope.span.end;
  return scope;
}

Outcome<report::ReportReader> filtered_reader(const ServedReport& report,
                                              const events::EventFilter& filter) {
  auto reader = report.read();
  if (!reader) return reader;
  if (const base::Status made = events::make_views(*reader, filter); !made)
    return unreadable(made.error());
  return reader;
}

std::string reading_notes(const report::ReportReader& reader) {
  std::string notes;
  const auto add = [&](const std::string& note) { notes += (notes.empty() ? "" : "\n") + note; };
  for (const auto& [table, events] : reader.faulty())
    add(fmt::format("{} rows of {} end before they start or lack a time. They are left out.",
                    events, table));
  for (const auto& [table, frames] : reader.too_deep())
    add(fmt::format("{} rows of {} are in call chains that are too long. They are left out.",
                    frames, table));
  for (const std::string& remark : reader.remarks()) add(remark);
  return notes;
}

}  // namespace prof::view
