// api/flame: the call chains of samples or of calls as a tree.
#include "exporters/viewer/answers/answer_cache.hpp"
#include "exporters/viewer/answers/handlers.hpp"
#include "exporters/viewer/answers/report/report_scope.hpp"

namespace prof::view {

Outcome<Answer> answer_flame(const Sources& sources, const Parameters& parameters) {
  const auto kind = parameters.word("kind", {"cpu", "python", "osrt", "cuda"});
  if (!kind) return tl::make_unexpected(kind.error());
  const auto scope = report_scope(sources, parameters);
  if (!scope) return tl::make_unexpected(scope.error());
  const auto samples =
      sources.kept->samples(sources, scope->index, static_cast<events::SampleKind>(*kind));
  if (!samples) return tl::make_unexpected(samples.error());
  const auto with_samples = parameters.integer_in("list", 0, 1, 0);
  if (!with_samples) return tl::make_unexpected(with_samples.error());
  Json json;
  json.begin_object();
  (*samples)->add(json, scope->filter, *with_samples == 1);
  json.end_object();
  return Answer{json.take()};
}

}  // namespace prof::view
