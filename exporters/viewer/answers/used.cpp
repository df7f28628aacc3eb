// api/used: the rows that have events in a span.
#include "exporters/viewer/answers/handlers.hpp"
#include "exporters/viewer/answers/row_parameters.hpp"
#include "exporters/viewer/timeline/timeline.hpp"

namespace prof::view {

Outcome<Answer> answer_used(const Sources& sources, const Parameters& parameters) {
  const auto snapshot = sources.timeline->snapshot();
  const auto span = time_span(parameters);
  if (!span) return tl::make_unexpected(span.error());
  Json json;
  json.begin_object().pair("version", snapshot->version()).key("rows").begin_list();
  for (const timeline::RowId row : snapshot->used_rows(*span)) json.value(row);
  json.end_list().end_object();
  return Answer{json.take()};
}

}  // namespace prof::view
