#include "exporters/analysis/replay/function_times.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>

#include "common/base/median.hpp"
#include "exporters/analysis/events/call_chains/code_frames.hpp"
#include "exporters/analysis/events/call_chains/sample_call_chains.hpp"
#include "exporters/analysis/events/call_chains/samples.hpp"
#include "exporters/analysis/events/strings.hpp"

namespace prof::replay {

namespace {

using events::SampleKind;
using insight::Intervals;

constexpr std::int64_t kFarthest = 4;  // times the usual distance of samples

struct TimedSample {
  std::int64_t time;
  std::size_t names;  // index into the sets of names
};
using ThreadSamples = std::map<std::int64_t, std::vector<TimedSample>>;  // by globalTid

// Samples with the names that their chains have.
class NamedSamples {
 public:
  explicit NamedSamples(const std::vector<std::string>& names)
      : names_(names.begin(), names.end()) {}

  base::Status read(const report::ReportReader& reader, SampleKind kind) {
    const auto samples = events::read_samples(reader, kind);
    if (!samples) return tl::make_unexpected(samples.error());
    events::Strings strings(reader);
    events::CodeFrames code(strings, events::FrameDetail::kFunction);
    std::unordered_map<std::uint32_t, bool> known;  // frames
    return events::for_each_call_chain(
        reader, kind, *samples, code,
        [&](std::span<const events::Sample> chain, std::span<const std::uint32_t> frames) {
          std::set<std::string> found;
          for (const std::uint32_t frame : frames) {
            const auto [at, is_new] = known.try_emplace(frame);
            if (is_new) at->second = names_.contains(code.function_of(frame).name);
            if (at->second) found.insert(code.function_of(frame).name);
          }
          const std::size_t number = number_of(std::move(found));
          for (const events::Sample& each : chain)
            threads_[samples->threads[each.thread]].push_back({each.start, number});
        },
        [&] { threads_.clear(); });
  }

  // Adds the times in which threads are in the function.
  std::map<std::int64_t, Intervals> times_of(const std::string& name) {
    std::map<std::int64_t, Intervals> result;
    for (auto& [thread, samples] : threads_) {
      std::ranges::stable_sort(samples, {}, &TimedSample::time);
      std::vector<std::int64_t> distances;
      for (std::size_t i = 1; i < samples.size(); ++i)
        distances.push_back(samples[i].time - samples[i - 1].time);
      const std::int64_t farthest = kFarthest * base::upper_median(distances);
      for (std::size_t i = 0; i < samples.size(); ++i) {
        if (!sets_[samples[i].names].contains(name)) continue;
        const std::int64_t time = samples[i].time;
        const std::int64_t before = i == 0 ? farthest : (time - samples[i - 1].time) / 2;
        const std::int64_t after =
            i + 1 == samples.size() ? farthest : (samples[i + 1].time - time + 1) / 2;
        result[thread].push_back(
            {time - std::min(before, farthest), time + std::min(after, farthest)});
      }
    }
    return result;
  }

 private:
  std::size_t number_of(std::set<std::string> names) {
    const auto at = std::ranges::find(sets_, names);
    if (at != sets_.end()) return static_cast<std::size_t>(at - sets_.begin());
    sets_.push_back(std::move(names));
    return sets_.size() - 1;
  }

  std::set<std::string> names_;
  std::vector<std::set<std::string>> sets_;
  ThreadSamples threads_;
};

}  // namespace

base::Result<RangesByName> read_function_times(const report::ReportReader& reader,
                                               const std::vector<std::string>& names) {
  RangesByName result;
  for (const std::string& name : names) result[name];
  std::vector<std::string> missing(names);
  for (const SampleKind kind : {SampleKind::kPython, SampleKind::kCpu}) {
    if (missing.empty() || !reader.has_table(events::sample_table(kind))) continue;
    NamedSamples samples(missing);
    if (const base::Status read = samples.read(reader, kind); !read)
      return tl::make_unexpected(read.error());
    std::erase_if(missing, [&](const std::string& name) {
      result[name] = RangeTimes(samples.times_of(name));
      return !result[name].empty();
    });
  }
  return result;
}

}  // namespace prof::replay
