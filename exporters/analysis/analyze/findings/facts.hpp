// The input of all finding rules: a report's GPU work and everything known about it, read once.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/analyze/findings/gpu_load.hpp"
#include "exporters/analysis/analyze/findings/throttling.hpp"
#include "exporters/analysis/analyze/program/waits/host_work.hpp"
#include "exporters/analysis/events/event_filter.hpp"
#include "exporters/analysis/insight/breakdown.hpp"
#include "exporters/analysis/insight/collectives.hpp"
#include "exporters/analysis/insight/iterations.hpp"
#include "exporters/analysis/insight/timeline.hpp"

namespace prof::analyze {

// Launches of a kernel with the same number of blocks.
struct KernelShape {
  std::int64_t name;  // demangled name, an id in StringIds
  std::int64_t blocks;
  std::int64_t multiprocessors;  // of the GPU
  std::int64_t count;
  std::int64_t time;          // ns
  insight::Interval longest;  // launch of them
  insight::Device device;     // of these
  std::int64_t stream;        // of the longest
};

// A device for which others wait in communication kernels, because its own kernel starts late.
struct LateDevice {
  std::uint32_t device;                // index into GpuWork::devices()
  insight::Intervals times;            // in which at least one other device waits for it
  std::int64_t waited = 0;             // ns, summed over the devices that wait for it
  std::int64_t idle = 0;               // ns of `times` in which the late device is idle
  std::vector<std::uint32_t> waiting;  // these devices, the one that waits longest first
  std::int64_t longest = 0;            // ns that the first of them waits
  std::string reason;                  // what the late device does meanwhile
};

struct Facts : insight::Timeline {
  std::vector<insight::Breakdown> breakdowns;   // by device
  std::vector<insight::Interval> spans;         // by device, first to last operation
  std::vector<insight::Iterations> iterations;  // of the devices with iterations
  std::vector<KernelShape> shapes;              // of launches on known GPUs
  std::int64_t profiler_overhead = 0;           // ns, between first and last GPU operation
  insight::Interval longest_overhead = {};      // of these times
  HostWork cpu_work = {};                       // of launching threads in idle times of Bound::kCpu
  HostWork loading_work = {};                   // the same in those of Bound::kDataLoading
  std::vector<LateDevice> late = {};            // most waited for first
  std::vector<GpuLoad> loads = {};              // of the GPUs whose metrics were sampled
  std::vector<insight::CollectiveGroup> collectives = {};  // of NCCL, if its ranges were recorded
  // Those of the whole report: the first iteration is not in `collectives`.
  std::vector<insight::CollectiveGroup> all_collectives = {};
  std::vector<ThrottledGpu> throttled = {};  // while they worked, by NVML

  // Sum of the devices' spans, ns. The shares of all findings refer to it.
  std::int64_t span() const;
  std::size_t iteration_count() const;  // of all devices

  std::int64_t peer_wait() const;  // ns in which devices wait for others in communication kernels
  // ns of an idle time in which other devices wait for this one.
  std::int64_t waited_for(const insight::IdleTime& idle) const;

  bool is_within_span(const events::ApiCall& call) const;
};

// Gets the GPU work of the whole report and its iterations, before the facts are read.
using SeeWhole = std::function<void(const insight::GpuWork& work,
                                    const std::vector<insight::Iterations>& iterations)>;

// With five iterations or more, only the time from the second one on is read, because the first one
// warms up. Otherwise the whole report is read. `events`: the filter that the user asked for.
base::Result<Facts> read_facts(const report::ReportReader& reader,
                               const events::EventFilter& events = {},
                               const SeeWhole& see_whole = {});

}  // namespace prof::analyze
