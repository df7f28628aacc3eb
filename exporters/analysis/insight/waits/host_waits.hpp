// Finds the times in which launching threads wait for input, from OS-runtime calls.
#pragma once

#include <map>
#include <set>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/insight/intervals.hpp"

namespace prof::insight {

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
