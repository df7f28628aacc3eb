#include "exporters/viewer/timeline/columns/counter_lanes.hpp"

#include <algorithm>

namespace prof::timeline {

namespace {

using Range = std::pair<double, double>;

void widen(Range& range, const Range& by) {
  range.first = std::min(range.first, by.first);
  range.second = std::max(range.second, by.second);
}

bool is_earlier(const Sample& a, const Sample& b) { return a.time < b.time; }

}  // namespace

CounterLanes::CounterLanes(std::vector<std::vector<Sample>> series) {
  bool is_first = true;
  for (auto& samples : series) {
    if (!std::is_sorted(samples.begin(), samples.end(), is_earlier))
      std::stable_sort(samples.begin(), samples.end(), is_earlier);
    if (!samples.empty()) {
      earliest_ = is_first ? samples.front().time : std::min(earliest_, samples.front().time);
      latest_ = is_first ? samples.back().time : std::max(latest_, samples.back().time);
      is_first = false;
    }
    series_.push_back({std::move(samples), {}});
    build_ranges(series_.back());
  }
}

std::size_t CounterLanes::size() const {
  std::size_t size = 0;
  for (const Series& series : series_) size += series.samples.size();
  return size;
}

void CounterLanes::build_ranges(Series& series) {
  std::size_t size = series.samples.size();
  while (size > kFanOut) {
    const std::vector<Range>* below = series.ranges.empty() ? nullptr : &series.ranges.back();
    std::vector<Range> level((size + kFanOut - 1) / kFanOut);
    for (std::size_t i = 0; i < size; ++i) {
      const double value = series.samples[i].value;
      const Range range = below == nullptr ? Range(value, value) : (*below)[i];
      if (i % kFanOut == 0)
        level[i / kFanOut] = range;
      else
        widen(level[i / kFanOut], range);
    }
    size = level.size();
    series.ranges.push_back(std::move(level));
  }
}

std::size_t CounterLanes::first_from(std::uint32_t lane, std::int64_t time) const {
  const std::vector<Sample>& all = samples(lane);
  const auto at = std::lower_bound(all.begin(), all.end(), Sample{time, 0}, is_earlier);
  return static_cast<std::size_t>(at - all.begin());
}

std::pair<double, double> CounterLanes::range(std::uint32_t lane, std::size_t from,
                                              std::size_t to) const {
  const Series& series = series_[lane];
  Range result(series.samples[from].value, series.samples[from].value);
  std::size_t level = 0;  // 0: samples; n: ranges[n - 1]
  const auto add = [&](std::size_t i) {
    const double value = level == 0 ? series.samples[i].value : 0;
    widen(result, level == 0 ? Range(value, value) : series.ranges[level - 1][i]);
  };
  while (from < to) {
    if (level == series.ranges.size() || to - from <= 2 * kFanOut) {
      for (; from < to; ++from) add(from);
      break;
    }
    for (; from % kFanOut != 0; ++from) add(from);
    for (; to % kFanOut != 0; --to) add(to - 1);
    from /= kFanOut;
    to /= kFanOut;
    ++level;
  }
  return result;
}

}  // namespace prof::timeline
