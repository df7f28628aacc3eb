// Visits what threads do in a given time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>

#include "exporters/analysis/analyze/program/cpu_facts.hpp"
#include "exporters/analysis/insight/intervals.hpp"

namespace prof::analyze {

inline bool runs_or_needs_cpu(const Period& period) {
  return period.activity == Activity::kRunning || period.activity == Activity::kNeedsCpu;
}

// Calls `visit(period, part)` for the periods of the thread that overlap with the time. `part` is
// the part of the period within the time.
template <class Visit>
void for_each_period(const CpuFacts& facts, std::uint32_t thread, const insight::Interval& time,
                     Visit visit) {
  auto at =
      std::lower_bound(facts.periods.begin(), facts.periods.end(), std::tuple(thread, time.start),
                       [](const Period& period, const auto& wanted) {
                         return std::tuple(period.thread, period.end) <= wanted;
                       });
  for (; at != facts.periods.end() && at->thread == thread && at->start < time.end; ++at)
    visit(*at, insight::Interval{std::max(at->start, time.start), std::min(at->end, time.end)});
}

}  // namespace prof::analyze
