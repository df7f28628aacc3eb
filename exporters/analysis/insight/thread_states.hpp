// Computes the states of threads from the events of the kernel's scheduler.
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
  kBlocked,   // waits for something other than a CPU; includes the wait for a CPU after the wake-up
  kOffCpu     // kRunnable or kBlocked; nsys's reports do not distinguish them
};
inline constexpr std::size_t kThreadStates = 4;

struct StatePeriod {
  std::int64_t start;  // ns, clipped to the filter's window
  std::int64_t end;
  std::int64_t since;  // ns, when the state began; may be before `start`
  std::int64_t row;  // rowid of the event that began the state; for the first period, of the event
                     // that ended it
  ThreadState state;
  bool is_switch;    // the period begins when the thread leaves a CPU, inside the filter's window
  std::int32_t cpu;  // on which the thread runs, or ran last
};

// Receives a thread's periods in the order of time. The periods have no gaps between the thread's
// first event (or the first event of the recording, if the thread was already running) and its end
// or the end of the recording. There may be a gap if a thread id was reused. A CPU runs one thread
// at a time, so threads never run for longer than the CPUs have.
using VisitThread = std::function<void(std::int64_t global_tid, std::span<const StatePeriod>)>;

// Reads SCHED_EVENTS and visits the threads in the order of globalTid. Threads without a period in
// the filter's window are skipped.
base::Status for_each_thread(const report::ReportReader& reader, const VisitThread& visit);

}  // namespace prof::insight
