// api/path: finds the critical path of a report, or of a part of its time, and shows it as a row.
#include "exporters/analysis/path/path_events.hpp"
#include "exporters/viewer/answers/handlers.hpp"
#include "exporters/viewer/answers/report/report_scope.hpp"
#include "exporters/viewer/timeline/timeline.hpp"

namespace prof::view {

Outcome<Answer> answer_path(const Sources& sources, const Parameters& parameters) {
  if (!sources.timeline->snapshot()->exact())
    return fault(503, "The report is still being read. Try again when it is complete.");
  const auto scope = report_scope(sources, parameters);
  if (!scope) return tl::make_unexpected(scope.error());
  const ServedReport& report = sources.reports[scope->index];
  const auto reader = filtered_reader(report, scope->filter);
  if (!reader) return tl::make_unexpected(reader.error());
  const auto path = path::path_events(*reader);
  if (!path) return unreadable(path.error());
  if (const auto sound = report.readable(*reader); !sound)
    return tl::make_unexpected(sound.error());
  const bool is_part = parameters.has("from") || parameters.has("to");
  std::int64_t length = 0;
  for (const path::PathEvent& each : *path) length += each.duration();
  sources.timeline->put_path(static_cast<std::uint32_t>(scope->index), *path,
                             is_part ? "of a part of the time" : "");
  Json json;
  json.begin_object().pair("pieces", path->size()).pair("length", length).end_object();
  return Answer{json.take()};
}

}  // namespace prof::view
