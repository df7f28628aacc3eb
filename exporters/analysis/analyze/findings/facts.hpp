// The input of all finding rules: a report's GPU work and everything known about it. It is read
// once.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/analyze/findings/gpu_load.hpp"
#include "exporters/analysis/analyze/findings/operators/operator_facts.hpp"
#include "exporters/analysis/analyze/findings/stalls/kernel_stalls.hpp"
#include "exporters/analysis/analyze/findings/throttling.hpp"
#include "exporters/analysis/analyze/program/waits/host_work.hpp"
#include "exporters/analysis/events/event_filter.hpp"
#include "exporters/analysis/insight/breakdown.hpp"
#include "exporters/analysis/insight/collectives.hpp"
#include "exporters/analysis/insight/iterations.hpp"
#include "exporters/analysis/insight/occupancy/kernel_launches.hpp"
#include "exporters/analysis/insight/profiles/kernel_profiles.hpp"
#include "exporters/analysis/insight/profiles/source_hints.hpp"
#include "exporters/analysis/insight/report_activity.hpp"

namespace prof::analyze {

// A device for which others wait in communication kernels, because its own kernel starts late.
struct LateDevice {
  std::uint32_t device;      // index into GpuWork::devices()
  insight::Intervals times;  // times in which at least one other device waits for this device
  std::int64_t waited = 0;   // ns, summed over the devices that wait for it
  std::int64_t idle = 0;     // ns of `times` in which the late device is idle
  std::vector<std::uint32_t>
      waiting;               // the waiting devices; the one that waits longest comes first
  std::int64_t longest = 0;  // ns that the first device of `waiting` waits
  std::string reason;        // what the late device does in these times
};

struct Facts : insight::ReportActivity {
  std::vector<insight::Breakdown> breakdowns;     // by device
  std::vector<insight::Interval> spans;           // by device, first to last operation
  std::vector<insight::Iterations> iterations;    // of each device with iterations
  std::vector<insight::KernelLaunches> launches;  // on known GPUs
  insight::MetricsByConfiguration profiles = {};  // of launches that prof kernel profiled
  insight::HintsByConfiguration hints = {};       // of those with SASS metrics
  std::int64_t profiler_overhead = 0;             // ns, between first and last GPU operation
  insight::Interval longest_overhead = {};        // the longest overhead among them
  HostWork cpu_work = {};             // of launching threads, in idle times of Bound::kCpu
  HostWork loading_work = {};         // of launching threads, in idle times of Bound::kDataLoading
  std::vector<LateDevice> late = {};  // sorted by `waited`, largest first
  std::vector<GpuLoad> loads = {};    // GPUs whose metrics were sampled
  std::vector<insight::CollectiveGroup> collectives =
      {};  // operations of NCCL, if its ranges were recorded
  // The operations of NCCL in the whole report. `collectives` lacks those of the first iteration.
  std::vector<insight::CollectiveGroup> all_collectives = {};
  std::vector<KernelStalls> stalls = {};  // kernels with PC samples
  OperatorFacts operators = {};           // of PyTorch, if their ranges were recorded
  std::vector<ThrottledGpu> throttled =
      {};  // GPUs that NVML reports as throttled while they worked

  // The analyzed time, if it is only that of the iterations.
  std::optional<insight::Interval> steady = {};

  // Sum of the devices' spans, ns. The shares of all findings refer to it.
  std::int64_t span() const;
  std::size_t iteration_count() const;  // sum over all devices

  std::int64_t peer_wait() const;  // ns in which devices wait for others in communication kernels
  // Returns for how many ns of an idle time other devices wait for this device.
  std::int64_t waited_for(const insight::IdleTime& idle) const;

  bool is_within_span(const events::ApiCall& call) const;
};

// Receives the GPU work of the whole report and its iterations, before the facts are read.
using SeeWhole = std::function<void(const insight::GpuWork& work,
                                    const std::vector<insight::Iterations>& iterations)>;

// Reads the facts. With five iterations or more, only the time from the second iteration on is
// read, because the first iteration warms up. Otherwise the whole report is read. `events` is the
// filter that the user asked for.
base::Result<Facts> read_facts(const report::ReportReader& reader,
                               const events::EventFilter& events = {},
                               const SeeWhole& see_whole = {});

}  // namespace prof::analyze
