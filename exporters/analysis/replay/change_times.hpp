// The times that changes are about: NVTX ranges, functions, and idle times of GPUs.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/insight/idle_times.hpp"
#include "exporters/analysis/replay/range_times.hpp"
#include "exporters/analysis/replay/what_if.hpp"

namespace prof::replay {

// The idle times of a kind.
struct IdlePieces {
  RangeTimes threads;  // when the threads that launch the next work were to blame
  // The operations that end the idle times: (index of the device, start), sorted.
  std::vector<std::pair<std::uint32_t, std::int64_t>> next = {};
};
using IdleByKind = std::map<insight::IdleKind, IdlePieces>;

IdleByKind idle_by_kind(const std::vector<insight::IdleTime>& idle,
                        const insight::ApiTimeline& calls);

struct ChangeTimes {
  RangesByName ranges;
  IdleByKind idle = {};
  RangesByName functions = {};
};

// Reads the times that these changes need.
base::Result<ChangeTimes> read_times(const report::ReportReader& reader,
                                     const std::vector<WhatIf>& changes);

}  // namespace prof::replay
