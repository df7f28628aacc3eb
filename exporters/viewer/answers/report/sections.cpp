// api/sections: which metrics of a kernel belong together, and how people call them.
#include "exporters/analysis/stats/pages/page_sections.hpp"
#include "exporters/viewer/answers/handlers.hpp"

namespace prof::view {

Outcome<Answer> answer_sections(const Sources&, const Parameters&) {
  Json json;
  json.begin_object().key("sections").begin_list();
  for (const stats::PageSection& each : stats::page_sections()) {
    if (each.metrics.empty()) continue;
    json.begin_object().pair("title", each.title).key("metrics").begin_list();
    for (const stats::PageMetric& metric : each.metrics)
      json.begin_list().value(metric.metric).value(metric.label).end_list();
    json.end_list().end_object();
  }
  json.end_list().end_object();
  return Answer{json.take(), "application/json", true};
}

}  // namespace prof::view
