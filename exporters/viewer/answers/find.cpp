// api/find: events by name.
#include <limits>

#include "exporters/viewer/answers/handlers.hpp"
#include "exporters/viewer/answers/name_search.hpp"
#include "exporters/viewer/answers/row_parameters.hpp"
#include "exporters/viewer/timeline/timeline.hpp"

namespace prof::view {

namespace {

constexpr std::int64_t kMaxHits = 1000;
constexpr std::int64_t kUsualHits = 100;
// The maximum number of events on a page. Below it, all events that start at the same time are on
// one page.
constexpr std::size_t kMaxAtOnce = 10'000;

}  // namespace

Outcome<Answer> answer_find(const Sources& sources, const Parameters& parameters) {
  const auto snapshot = sources.timeline->snapshot();
  if (!parameters.has("q")) return fault(400, "parameter q is missing: a part of a name");
  const auto names = find_names(snapshot->names(), parameters.text("q"));
  if (!names) return tl::make_unexpected(names.error());
  const auto after = parameters.integer("after", std::numeric_limits<std::int64_t>::min());
  if (!after) return tl::make_unexpected(after.error());
  const auto limit = parameters.integer_in("limit", 1, kMaxHits, kUsualHits);
  if (!limit) return tl::make_unexpected(limit.error());
  std::vector<timeline::RowId> rows;
  if (parameters.has("rows")) {
    auto list = row_list(*snapshot, parameters, "rows");
    if (!list) return tl::make_unexpected(list.error());
    rows = std::move(*list);
  }
  timeline::Hits hits = snapshot->find(*names, rows, *after, static_cast<std::size_t>(*limit));
  if (hits.events.size() > kMaxAtOnce) hits.events.resize(kMaxAtOnce);
  Json json;
  json.begin_object().key("hits").begin_list();
  for (const timeline::Event& event : hits.events) add_event(json, *snapshot, event);
  json.end_list().pair("total", hits.total).pair("exact", snapshot->exact()).key("next");
  hits.next ? json.value(*hits.next) : json.null();
  json.end_object();
  return Answer{json.take()};
}

}  // namespace prof::view
