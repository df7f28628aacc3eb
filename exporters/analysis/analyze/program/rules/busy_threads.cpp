#include "exporters/analysis/analyze/program/rules/busy_threads.hpp"

#include <algorithm>
#include <vector>

#include "exporters/analysis/analyze/program/waits/periods.hpp"

namespace prof::analyze {

BusyTimes busy_times(const CpuFacts& facts, const insight::Intervals* within) {
  struct Change {
    std::int64_t time;
    std::int64_t running;
    std::int64_t waiting;
  };
  std::vector<Change> changes;
  for (const Period& each : facts.periods) {
    if (!runs_or_needs_cpu(each)) continue;
    const std::int64_t runs = each.activity == Activity::kRunning ? 1 : 0;
    changes.push_back({each.start, runs, 1 - runs});
    changes.push_back({each.end, -runs, runs - 1});
  }
  std::sort(changes.begin(), changes.end(),
            [](const Change& a, const Change& b) { return a.time < b.time; });
  BusyTimes times;
  BusyThreads now{0, 0};
  std::int64_t since = 0;
  for (const Change& change : changes) {
    const std::int64_t time =
        within == nullptr ? change.time - since : insight::covered(*within, since, change.time);
    if (time > 0) times[now] += time;
    since = change.time;
    now = {now.first + change.running, now.second + change.waiting};
  }
  return times;
}

std::int64_t most_at_once(const BusyTimes& times, std::int64_t all) {
  std::map<std::int64_t, std::int64_t> running;  // ns, by the number of running threads
  for (const auto& [threads, time] : times) running[threads.first] += time;
  std::int64_t most = 0;
  for (const auto& [threads, time] : running)
    if (time >= all / kMoment) most = threads;
  return most;
}

}  // namespace prof::analyze
