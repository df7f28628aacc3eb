#include "exporters/analysis/events/metrics/counter_series.hpp"

#include <map>

namespace prof::events {

namespace {

// The times of the last two samples of a group.
struct GroupTimes {
  std::int64_t before;
  std::int64_t now;
};

}  // namespace

base::Result<std::vector<CounterSeries>> read_counter_series(const report::ReportReader& reader,
                                                             const WantedCounter& wanted,
                                                             SampledCounters::Span span) {
  auto counters = SampledCounters::read(reader);
  if (!counters) return tl::make_unexpected(counters.error());
  std::vector<CounterSeries> series;
  std::map<std::size_t, std::size_t> places;  // by number of the counter; SIZE_MAX: not wanted
  std::map<std::int64_t, GroupTimes> groups;  // by typeId
  const base::Status read = counters->visit_generic(
      reader,
      [&](const SampledCounter& counter, std::size_t number, std::int64_t time, double value) {
        const auto [place, is_new] = places.try_emplace(number, SIZE_MAX);
        if (is_new && wanted(counter)) {
          place->second = series.size();
          series.push_back({counter, {}});
        }
        GroupTimes& times =
            groups.try_emplace(counter.type_id, GroupTimes{time, time}).first->second;
        if (time > times.now) times = {times.now, time};
        if (place->second != SIZE_MAX)
          series[place->second].samples.push_back({times.before, time, value});
      },
      span);
  if (!read) return tl::make_unexpected(read.error());
  for (CounterSeries& each : series) {
    CounterSample& first = each.samples.front();
    if (first.start == first.end && each.samples.size() > 1)
      first.start -= each.samples[1].end - first.end;
  }
  return series;
}

}  // namespace prof::events
