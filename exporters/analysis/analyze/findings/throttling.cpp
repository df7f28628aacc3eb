#include "exporters/analysis/analyze/findings/throttling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "common/base/text/marked_name.hpp"
#include "exporters/analysis/analyze/findings/amount_text.hpp"
#include "exporters/analysis/events/metrics/counter_series.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/insight/metrics/physical_gpus.hpp"

namespace prof::analyze {

namespace {

using events::CounterSample;
using events::CounterSeries;
using events::SampledCounter;
using insight::Interval;
using insight::Intervals;

constexpr std::string_view kThrottled = "Throttled: ";

// True if the counter is a reason for throttling. Sync Boost does not count, because it only keeps
// the clocks of several GPUs equal.
bool is_reason(const SampledCounter& counter) {
  return counter.name.starts_with(kThrottled) && !counter.name.ends_with("Sync Boost");
}
bool is_clock(const SampledCounter& counter) { return counter.name == "SM Clock"; }

struct Samples {
  std::vector<const CounterSeries*> reasons;
  const CounterSeries* clock = nullptr;
};

// Returns the times in which the reason held. Only changes are recorded, so a value holds until the
// next one.
Intervals times_of(const CounterSeries& reason) {
  std::vector<Interval> times;
  for (std::size_t i = 0; i < reason.samples.size(); ++i)
    if (reason.samples[i].value != 0)
      times.push_back({reason.samples[i].end,
                       i + 1 < reason.samples.size() ? reason.samples[i + 1].end : INT64_MAX});
  return insight::merged(std::move(times));
}

// The work of the report on one GPU.
struct Work {
  std::optional<insight::Operation> longest;
  Intervals times;
};

std::map<std::int64_t, Work> work_by_gpu(const insight::GpuWork& work,
                                         const insight::PhysicalGpus& gpus) {
  std::map<std::int64_t, Work> result;
  for (const insight::Operation& each : work.operations()) {
    Work& of_gpu = result[gpus.of(work.devices()[each.device])];
    of_gpu.times.push_back(each.interval());
    if (!of_gpu.longest || each.duration() > of_gpu.longest->duration()) of_gpu.longest = each;
  }
  for (auto& [gpu, each] : result) each.times = insight::merged(std::move(each.times));
  return result;
}

void add_reasons(const Samples& samples, const Intervals& work, ThrottledGpu& gpu) {
  std::vector<Interval> all;
  for (const CounterSeries* each : samples.reasons) {
    const Intervals times = insight::intersection(times_of(*each), work);
    if (times.empty()) continue;
    gpu.reasons.push_back({each->counter.name.substr(kThrottled.size()), insight::total(times)});
    all.insert(all.end(), times.begin(), times.end());
  }
  std::stable_sort(gpu.reasons.begin(), gpu.reasons.end(),
                   [](const auto& a, const auto& b) { return a.time > b.time; });
  gpu.times = insight::merged(std::move(all));
}

// Reads the maximum clocks in MHz by number of the GPU, as NVML reported them when the recording
// began.
base::Result<std::map<std::int64_t, double>> read_maximum_clocks(
    const report::ReportReader& reader) {
  std::map<std::int64_t, double> clocks;
  if (!reader.has_column("TARGET_INFO_SYSTEM_ENV", "value")) return clocks;
  const base::Status read = events::for_each_row(
      reader,
      "SELECT json_extract(gpu.value, '$.index'), "
      "CAST(json_extract(gpu.value, '$.clocks_mhz.sm_max') AS REAL) "
      "FROM TARGET_INFO_SYSTEM_ENV AS env, json_each(env.value, '$.gpus') AS gpu "
      "WHERE env.name = 'GpuTopology' AND json_valid(env.value)",
      [&](const report::Statement& row) { clocks[row.integer(0)] = row.real(1); });
  if (!read) return tl::make_unexpected(read.error());
  return clocks;
}

// Sets the GPU's clocks. A sample is the clock at its moment, which is taken to hold until the next
// sample.
void add_clock(const std::vector<CounterSample>& clocks, ThrottledGpu& gpu) {
  for (const CounterSample& each : clocks)
    gpu.highest_clock = std::max(gpu.highest_clock, each.value);
  double sum = 0;  // MHz times ns
  std::int64_t known = 0;
  for (std::size_t i = 0; i + 1 < clocks.size(); ++i) {
    const std::int64_t time = covered(gpu.times, clocks[i].end, clocks[i + 1].end);
    known += time;
    sum += clocks[i].value * static_cast<double>(time);
  }
  if (known == 0 || gpu.highest_clock <= 0) return;
  gpu.clock = sum / static_cast<double>(known);
  gpu.lost =
      static_cast<std::int64_t>(static_cast<double>(known) * (1 - gpu.clock / gpu.highest_clock));
}

}  // namespace

std::string text_of(const ThrottledGpu& gpu) {
  std::string reasons;
  for (const ThrottleReason& each : gpu.reasons)
    reasons += fmt::format("{}{} for {}", reasons.empty() ? "" : ", ",
                           base::mark_name("reason", each.name), time_text(each.time));
  std::string text = fmt::format("{}, of {} with work", reasons, time_text(gpu.work));
  if (gpu.clock > 0)
    text += fmt::format("; its clock is {:.0f} MHz then and {:.0f} MHz at most", gpu.clock,
                        gpu.highest_clock);
  return text;
}

base::Result<std::vector<ThrottledGpu>> read_throttled_gpus(const report::ReportReader& reader,
                                                            const insight::GpuWork& work) {
  const auto series = events::read_counter_series(
      reader,
      [](const SampledCounter& counter) {
        return counter.gpu && (is_reason(counter) || is_clock(counter));
      },
      events::SampledCounters::Span::kWholeReport);
  if (!series) return tl::make_unexpected(series.error());
  std::map<std::int64_t, Samples> samples;
  for (const CounterSeries& each : *series) {
    Samples& of_gpu = samples[*each.counter.gpu];
    if (is_clock(each.counter))
      of_gpu.clock = &each;
    else
      of_gpu.reasons.push_back(&each);
  }
  std::vector<ThrottledGpu> result;
  if (samples.empty()) return result;
  const auto numbers = insight::PhysicalGpus::read(reader);
  if (!numbers) return tl::make_unexpected(numbers.error());
  const auto maximum = read_maximum_clocks(reader);
  if (!maximum) return tl::make_unexpected(maximum.error());
  for (const auto& [gpu, each] : work_by_gpu(work, *numbers)) {
    const auto found = samples.find(gpu);
    if (found == samples.end() || found->second.clock == nullptr) continue;
    ThrottledGpu throttled{gpu, *each.longest, {}, {}, insight::total(each.times), 0, 0, 0};
    if (const auto clock = maximum->find(gpu); clock != maximum->end())
      throttled.highest_clock = clock->second;
    add_reasons(found->second, each.times, throttled);
    if (throttled.times.empty()) continue;
    add_clock(found->second.clock->samples, throttled);
    result.push_back(std::move(throttled));
  }
  return result;
}

}  // namespace prof::analyze
