// Finds the thread for which a launching thread waits. PyTorch launches a backward pass from
// another thread than the forward pass: that thread waits for work while the program's main thread
// computes, so the work of the main thread is the reason why the GPU is idle.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "exporters/analysis/insight/api_timeline.hpp"
#include "exporters/analysis/insight/waits/host_waits.hpp"

namespace prof::insight {

class BusyPeers {
 public:
  // The arguments must outlive the object.
  BusyPeers(const ApiTimeline& calls, const HostWaits& waits);

  // Returns the globalTid of the busy peer if the thread waits for a wake-up for at least half of
  // the time. The peer is the thread of the same process that computes for the largest part of
  // these waits, at least half of them, and has launched work in the second before. Returns 0 if
  // there is no such thread.
  std::int64_t of(std::int64_t global_tid, const Interval& time) const;

 private:
  std::int64_t computing(std::int64_t global_tid, const Intervals& waits) const;

  const ApiTimeline& calls_;
  const HostWaits& waits_;
  std::map<std::int64_t, std::vector<std::int64_t>>
      launching_;  // by process: its threads that launch work
};

}  // namespace prof::insight
