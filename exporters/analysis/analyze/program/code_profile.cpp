#include "exporters/analysis/analyze/program/code_profile.hpp"

#include <algorithm>
#include <tuple>

#include "exporters/analysis/events/call_chains/sample_call_chains.hpp"
#include "exporters/analysis/events/call_chains/sampling_interval.hpp"

namespace prof::analyze {

namespace {

// Converts the shares of samples from parts of a moment to ns.
void scale(std::vector<CodeProfile::Sample>& samples, std::int64_t interval,
           std::span<const CpuThread> threads) {
  std::vector<bool> is_sampled(threads.size());
  double sum = 0;
  for (const CodeProfile::Sample& each : samples) {
    sum += each.share;
    is_sampled[each.thread] = true;
  }
  double ran = 0;
  for (std::size_t i = 0; i < threads.size(); ++i)
    if (is_sampled[i]) ran += threads[i].shares[static_cast<std::size_t>(Activity::kRunning)];
  if (sum <= 0) return;
  const double to_fit = ran / sum;
  const double factor = interval > 0 ? std::min(static_cast<double>(interval), to_fit) : to_fit;
  for (CodeProfile::Sample& each : samples) each.share *= factor;
}

}  // namespace

base::Result<RecordedSamples> read_recorded_samples(const report::ReportReader& reader,
                                                    events::SampleKind kind) {
  auto samples = events::read_samples(reader, kind);
  if (!samples) return tl::make_unexpected(samples.error());
  RecordedSamples recorded{kind, *std::move(samples), 0, {}};
  recorded.interval = events::sampling_interval(reader, kind, recorded.samples).value_or(0);
  return recorded;
}

base::Result<std::unique_ptr<CodeProfile>> read_profile(const report::ReportReader& reader,
                                                        const RecordedSamples& recorded,
                                                        const CpuFacts& facts,
                                                        const events::CodeLines* lines) {
  if (recorded.samples.all.empty()) return nullptr;
  auto profile = std::make_unique<CodeProfile>(*facts.strings, lines);
  std::vector<std::uint32_t> path;
  const base::Status read = events::for_each_call_chain(
      reader, recorded.kind, recorded.samples, profile->code,
      [&](std::span<const events::Sample> samples, std::span<const std::uint32_t> frames) {
        path.assign(frames.begin(), frames.end());
        const events::CallTree::Node node = profile->tree.of_chain(0, path);
        for (const events::Sample& each : samples)
          profile->samples.push_back(
              {each.start, static_cast<double>(each.weight), recorded.threads[each.thread], node});
      },
      [&] {
        profile->tree = {};
        profile->samples.clear();
      });
  if (!read) return tl::make_unexpected(read.error());
  std::sort(profile->samples.begin(), profile->samples.end(), [](const auto& a, const auto& b) {
    return std::tie(a.thread, a.time) < std::tie(b.thread, b.time);
  });
  return profile;
}

void add_shares(std::int64_t interval, ShareClock& clock, const CpuFacts& facts,
                CodeProfile& profile) {
  for (CodeProfile::Sample& each : profile.samples) each.share *= clock.part_of_running(each.time);
  scale(profile.samples, interval, facts.threads);
}

}  // namespace prof::analyze
