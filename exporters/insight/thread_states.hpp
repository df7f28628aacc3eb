// What threads did with their time, as the kernel's scheduler saw it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "collector/base/result.hpp"
#include "collector/report/report_reader.hpp"

namespace prof::stats {

enum class ThreadState : std::uint8_t {
  kRunning,
  kRunnable,  // taken off its CPU while it could have gone on
  kBlocked,   // waited for something; what it waited for a CPU afterwards is not told apart
  kOffCpu     // either: nsys's reports do not tell
};
inline constexpr std::size_t kThreadStates = 4;

struct StatePeriod {
  std::int64_t start;  // ns; within what the filter leaves
  std::int64_t end;
  std::int64_t since;  // when it began, which may be before `start`
  ThreadState state;
  bool is_switch;  // the thread left its CPU at its start, within what the filter leaves
};

// A thread's periods in the order of time. They follow each other without a gap from its first
// event (from the recording's first one, if it ran then) to its end, or to the recording's: except
// where an id was used again.
using VisitThread = std::function<void(std::int64_t global_tid, std::span<const StatePeriod>)>;

// Of SCHED_EVENTS; the threads by globalTid, those without a period in the filter left out.
base::Status for_each_thread(const report::ReportReader& reader, const VisitThread& visit);

}  // namespace prof::stats
