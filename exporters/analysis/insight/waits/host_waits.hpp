// Finds the times in which launching threads wait for input, from OS-runtime calls.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string_view>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/insight/intervals.hpp"

namespace prof::insight {

enum class HostWait : std::uint8_t {
  kNone,
  kInput,   // reads a file, a pipe or a socket, or waits for one
  kWakeup,  // another thread has to wake this one
};
// Returns what a function of the OS runtime waits for.
HostWait host_wait_of(std::string_view function);

class HostWaits {
 public:
  // Reads the calls of these threads that read files, pipes or sockets, or that wait for another
  // thread or process. Sleeping does not count.
  static base::Result<HostWaits> read(const report::ReportReader& reader,
                                      const std::set<std::int64_t>& global_tids);

  // Returns how long the thread waited between `start` and `end`, in ns.
  std::int64_t waited(std::int64_t global_tid, std::int64_t start, std::int64_t end) const;
  // Returns the times within `time` in which the thread waited.
  Intervals waits(std::int64_t global_tid, const Interval& time) const;
  // Returns the waits in which another thread had to wake the thread, at a condition variable, a
  // semaphore or a futex.
  Intervals wakeups(std::int64_t global_tid, const Interval& time) const;

 private:
  struct Waits {
    Intervals all;
    Intervals wakeups;  // subset of all waits
  };
  std::map<std::int64_t, Waits> by_thread_;
};

}  // namespace prof::insight
