// The states of threads, from the events of the kernel's scheduler.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"

namespace prof::insight {

enum class ThreadState : std::uint8_t {
  kRunning,
  kRunnable,  // preempted: waits for a CPU
  kBlocked,   // waits for something else; includes the wait for a CPU after the wake-up
  kOffCpu     // one of the two; nsys's reports do not distinguish them
};
inline constexpr std::size_t kThreadStates = 4;

struct StatePeriod {
  std::int64_t start;  // ns; clipped to the filter's window
  std::int64_t end;
  std::int64_t since;  // when the state began; may be before `start`
  std::int64_t row;    // the rowid of the event that began it; of the first period of its end
  ThreadState state;
  bool is_switch;  // the period begins with a switch out, inside the filter's window
};

// Gets a thread's periods in the order of time. They cover its time without gaps, from its first
// event (or from the first event of the recording, if it was already running) to its end or to the
// end of the recording. There may be a gap if a thread id was reused.
using VisitThread = std::function<void(std::int64_t global_tid, std::span<const StatePeriod>)>;

// Reads SCHED_EVENTS and visits the threads in the order of globalTid. Threads without a period in
// the filter's window are skipped.
base::Status for_each_thread(const report::ReportReader& reader, const VisitThread& visit);

}  // namespace prof::insight
