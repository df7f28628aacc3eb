#include "exporters/analysis/insight/metrics/metric_averages.hpp"

#include <algorithm>

namespace prof::insight {

namespace {

// The typical pause between two kernels of a stream is 1 to 5 us. A sample of 20 us with such a
// pause contains the end of one kernel and the beginning of the next, in which fewer
// multiprocessors work. Averages without such samples would be too high.
constexpr std::int64_t kPauseBetweenKernels = 5'000;  // ns

// Returns how much of a sample may lie outside of the times of its group, in ns.
std::int64_t outside_at_most(std::int64_t period) {
  return std::max(period / 10, std::min(kPauseBetweenKernels, period / 4));
}

}  // namespace

MetricAverager::MetricAverager(const events::MeteredGpu& gpu, std::vector<MetricGroup>& groups)
    : period_(gpu.period), groups_(groups), covered_(groups.size()) {
  for (std::size_t group = 0; group < groups.size(); ++group) {
    groups[group].metrics.resize(gpu.metrics.size());
    for (const Interval& time : groups[group].times) parts_.push_back({time, group});
  }
  std::sort(parts_.begin(), parts_.end(),
            [](const Part& a, const Part& b) { return a.time.start < b.time.start; });
}

void MetricAverager::add(const events::MetricSample& sample) {
  const Interval time{sample.start, sample.start + period_};
  std::erase_if(active_, [&](const Part& part) { return part.time.end <= time.start; });
  for (; next_ < parts_.size() && parts_[next_].time.start < time.end; ++next_)
    if (parts_[next_].time.end > time.start) active_.push_back(parts_[next_]);
  for (const Part& part : active_)
    covered_[part.group] +=
        std::min(part.time.end, time.end) - std::max(part.time.start, time.start);
  for (const Part& part : active_) {
    const bool counts = covered_[part.group] >= period_ - outside_at_most(period_);
    covered_[part.group] =
        0;  // set back here, so that the next parts of this group do not count the sample again
    if (!counts) continue;
    MetricGroup& group = groups_[part.group];
    ++group.samples;
    for (std::size_t i = 0; i < sample.values.size(); ++i) {
      if (sample.values[i] == events::kNoValue) continue;
      ++group.metrics[i].count;
      group.metrics[i].sum += static_cast<double>(sample.values[i]);
    }
  }
}

std::vector<SoloTime> solo_times(const GpuWork& work, const PhysicalGpus& gpus, std::int64_t gpu) {
  struct Edge {
    std::int64_t time;
    bool begins;
    std::size_t operation;
  };
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < work.size(); ++i) {
    const Operation each = work.at(i);
    if (gpus.of(work.devices()[each.device]) != gpu) continue;
    edges.push_back({each.start, true, i});
    edges.push_back({each.end, false, i});
  }
  std::sort(edges.begin(), edges.end(),
            [](const Edge& a, const Edge& b) { return a.time < b.time; });
  std::vector<SoloTime> times;
  std::size_t running = 0;
  std::size_t sum =
      0;  // sum of the indices of the running operations: the index itself if one operation runs
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (edges[i].begins) {
      ++running;
      sum += edges[i].operation;
    } else {
      --running;
      sum -= edges[i].operation;
    }
    if (running == 1 && i + 1 < edges.size() && edges[i + 1].time > edges[i].time)
      times.push_back({sum, {edges[i].time, edges[i + 1].time}});
  }
  return times;
}

}  // namespace prof::insight
