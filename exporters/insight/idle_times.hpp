// The times in which a device had nothing to do, and why.
#pragma once

#include <vector>

#include "collector/base/result.hpp"
#include "collector/report/report_reader.hpp"
#include "exporters/events/range_tree.hpp"
#include "exporters/insight/api_timeline.hpp"
#include "exporters/insight/gpu_work.hpp"

namespace prof::insight {

enum class IdleCause : std::uint8_t {
  kHostWait,     // the host had not yet called for the next operation
  kLaunchQueue,  // it had, before the device fell idle: the time of the call itself, its way to the
                 // device, or a wait for another stream or device
  kSync,  // the host was waiting for the device when that fell idle, and began again from there
  kDataLoading,  // as kHostWait; the thread was waiting for files, sockets, or another thread or
                 // process
  kOther,        // the call is not known, or the profiler itself was at work
};
inline constexpr std::size_t kIdleCauses = 5;
const char* name_of(IdleCause cause);  // "host wait"

struct IdleTime {
  Interval time;
  std::uint32_t device;  // index into GpuWork::devices()
  IdleCause cause;
  std::int32_t range;  // innermost NVTX range of the thread, or RangeTree::kNone
  const events::ApiCall* call =
      nullptr;  // that the thread waited in, or was in for most of it; or null
};

// Between the operations of each device, in the order of time. `calls` must outlive the result.
base::Result<std::vector<IdleTime>> idle_times(const report::ReportReader& reader,
                                               const GpuWork& work, const ApiTimeline& calls,
                                               const events::RangeTree& ranges);

}  // namespace prof::insight
