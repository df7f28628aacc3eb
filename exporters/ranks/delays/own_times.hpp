// What each rank does between two collective operations, without its waits for others.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/insight/intervals.hpp"
#include "exporters/ranks/collectives/collective_calls.hpp"
#include "exporters/ranks/delays/host_spans.hpp"

namespace prof::ranks {

using CauseTimes = std::array<float, kCauses>;  // ns by Cause

// Launches of one kernel.
struct KernelSum {
  std::int64_t count = 0;
  std::int64_t time = 0;  // ns
};

struct ProcessTimes {
  std::int64_t device = -1;                  // CUDA's number of its GPU; -1: none or several
  std::vector<insight::Interval> steps;      // in the order of time; may be empty
  std::string steps_found_by;                // "NVTX range :step"
  std::map<std::string, KernelSum> kernels;  // by name, without those that communicate
};

struct OwnTimes {
  // For each sequence and call: the time since the call before of the same sequence.
  std::vector<std::vector<CauseTimes>> calls;
  std::map<std::int64_t, ProcessTimes> processes;  // by globalPid
};

base::Result<OwnTimes> read_own_times(const report::ReportReader& reader, const ReportCalls& calls);

// The time in which a call of `sequence` was prepared by the CPU: since the call before.
insight::Interval preparation(const CallSequence& sequence, std::size_t call);

}  // namespace prof::ranks
