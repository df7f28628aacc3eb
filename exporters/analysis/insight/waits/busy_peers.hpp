// Which thread lets a launching thread wait. PyTorch launches a backward pass from another thread
// than the forward pass: it waits for work while the program's main thread computes, so what the
// main thread does is why the GPU is idle.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "exporters/analysis/insight/api_timeline.hpp"
#include "exporters/analysis/insight/waits/host_waits.hpp"

namespace prof::insight {

class BusyPeers {
 public:
  // The arguments outlive the object.
  BusyPeers(const ApiTimeline& calls, const HostWaits& waits);

  // If the thread waits for a wake-up for half of the time or more: the globalTid of the thread of
  // its process that computes for the largest part of these waits, at least half of them, and has
  // launched work in the second before. 0: there is none.
  std::int64_t of(std::int64_t global_tid, const Interval& time) const;

 private:
  std::int64_t computing(std::int64_t global_tid, const Intervals& waits) const;

  const ApiTimeline& calls_;
  const HostWaits& waits_;
  std::map<std::int64_t, std::vector<std::int64_t>> launching_;  // threads by process
};

}  // namespace prof::insight
