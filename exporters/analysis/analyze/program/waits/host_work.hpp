// What threads do in given times: why a launching thread leaves a GPU idle.
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
  bool sleeps = false;  // for half of the time or more
  std::string remedy;   // more exact than the finding's remedy; may be empty
};

// Describes what samples and calls show about these threads in exactly these times. Looks at the
// longest times if there are many. `all`: ns that percentages refer to.
HostWork host_work(CpuFacts& facts, std::span<const ThreadTime> times, std::int64_t all);

}  // namespace prof::analyze
