// api/summary: the start page.
#include "exporters/viewer/answers/answer_cache.hpp"
#include "exporters/viewer/answers/handlers.hpp"

namespace prof::view {

Outcome<Answer> answer_summary(const Sources& sources, const Parameters& parameters) {
  const auto last = static_cast<std::int64_t>(sources.reports.size()) - 1;
  const auto report = parameters.integer_in("report", 0, last, 0);
  if (!report) return tl::make_unexpected(report.error());
  const auto wait = parameters.integer_in("wait", 0, 1, 0);
  if (!wait) return tl::make_unexpected(wait.error());
  const SummaryJob& job = sources.kept->summary(sources, static_cast<std::size_t>(*report));
  if (*wait == 1) job.wait();
  return Answer{job.document()};
}

}  // namespace prof::view
