// Finds out what each thread does from moment to moment.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "exporters/analysis/analyze/program/cpu_facts.hpp"
#include "exporters/analysis/insight/intervals.hpp"
#include "exporters/analysis/insight/thread_states.hpp"

namespace prof::analyze {

// The records of one thread in the report. Each list is sorted by start.
struct ThreadEvents {
  std::span<const insight::StatePeriod> states;  // empty: the states were not recorded
  std::span<const OsCall> calls;
  std::uint32_t first_call = 0;   // index of the first call in CpuFacts::calls
  insight::Intervals lock_waits;  // waits for Python's interpreter lock
  insight::Intervals samples;     // times that samples of the thread stand for
};

// Rules for what the report does not say directly.
struct PeriodRules {
  std::function<Activity(const OsCall& call)> wait_of;
  std::int64_t sampling_interval = 0;  // ns; 0: the report has no samples
};

// Appends the thread's periods. Scheduler states become periods directly; a period in which the
// thread is blocked gets its activity from the innermost call around it. Without states a thread
// waits in calls that may block and runs where its samples are. The rest is unknown, or running if
// the report has no samples.
void append_periods(const ThreadEvents& events, const PeriodRules& rules, std::uint32_t thread,
                    std::vector<Period>& periods);

}  // namespace prof::analyze
