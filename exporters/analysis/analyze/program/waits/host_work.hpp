// Describes what threads do in given times: why a launching thread leaves a GPU idle.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "exporters/analysis/analyze/program/cpu_facts.hpp"
#include "exporters/analysis/insight/intervals.hpp"

namespace prof::analyze {

struct ThreadTime {
  std::int64_t global_tid;
  insight::Interval time;
};

struct HostWork {
  std::string text;  // "91 % in slow_transform (data.py:31) in DataLoader's __next__"; may be empty
  bool sleeps = false;  // true if the threads sleep for half of the time or more
  std::string remedy;   // more exact than the finding's remedy; may be empty
};

// Describes what samples and calls show about these threads in exactly these times. If there are
// many times, only the longest are used. `all` is the time in ns that percentages refer to.
HostWork host_work(CpuFacts& facts, std::span<const ThreadTime> times, std::int64_t all);

}  // namespace prof::analyze
