#include "exporters/viewer/answers/answer_cache.hpp"

#include "exporters/viewer/answers/report/report_scope.hpp"

namespace prof::view {

Outcome<AnswerCache::Samples> AnswerCache::samples(const Sources& sources, std::size_t report,
                                                   events::SampleKind kind) {
  SamplesOfKind& kept = samples_.at(report)[static_cast<std::size_t>(kind)];
  auto lines = summary(sources, report).lines();
  const std::lock_guard lock(kept.mutex);
  if (kept.samples && (kept.lines == lines || !lines)) return kept.samples;
  const ServedReport& served = sources.reports[report];
  const auto reader = filtered_reader(served, {});
  if (!reader) return tl::make_unexpected(reader.error());
  auto samples = SampleTree::read(*reader, kind, lines.get());
  if (!samples) return unreadable(samples.error());
  if (const auto sound = served.readable(*reader); !sound)
    return tl::make_unexpected(sound.error());
  kept.samples = std::move(*samples);
  kept.lines = std::move(lines);
  return kept.samples;
}

const SummaryJob& AnswerCache::summary(const Sources& sources, std::size_t report) {
  const std::lock_guard lock(mutex_);
  auto& job = summaries_.at(report);
  if (!job)
    job = std::make_unique<SummaryJob>(sources.reports[report], static_cast<std::uint32_t>(report),
                                       sources.timeline, sources.range_of);
  return *job;
}

}  // namespace prof::view
