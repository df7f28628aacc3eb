// Finds the idle times of devices and their causes.
#pragma once

#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/nvtx/range_tree.hpp"
#include "exporters/analysis/insight/api_timeline.hpp"
#include "exporters/analysis/insight/gpu_work.hpp"

namespace prof::insight {

// The cause of an idle time. docs/findings.md has the exact definitions.
enum class IdleCause : std::uint8_t {
  kHostWait,     // the host had not launched the next operation yet
  kLaunchQueue,  // the launching call began before the device became idle
  kGraph,        // both operations around the time are nodes of one launch of a CUDA graph
  kSync,         // the host was waiting for the device when the device became idle
  kDataLoading,  // like kHostWait, but the thread waited for a file, a socket, a thread or a
                 // process
  kOther,        // the launching call is unknown, or the profiler was active
};
inline constexpr std::size_t kIdleCauses = 6;
const char* name_of(IdleCause cause);  // "host wait"

struct IdleTime {
  Interval time;
  std::uint32_t device;  // index into GpuWork::devices()
  IdleCause cause;
  std::int32_t range;  // innermost NVTX range of `thread`, or RangeTree::kNone
  static constexpr std::int64_t kNoCall = -1;
  // The name (StringIds.id) of the call in which `thread` spent the time, or kNoCall.
  std::int64_t call = kNoCall;
  // The globalTid of the launching thread, or of the thread that it waits for
  // (waits/busy_peers.hpp). 0: unknown.
  std::int64_t thread = 0;
  std::int64_t launch = 0;  // ns, when the launching call began, at most time.end
};

// The kinds of idle times, as findings and changes count them.
enum class IdleKind : std::uint8_t {
  kSync,
  kDataLoading,
  kCpu,       // code of the launching thread, outside of CUDA calls
  kLaunches,  // shorter than 100 us: launches and the calls between them
  kCalls,     // longer CUDA calls
  kGraph,
  kUnknown,
};
inline constexpr std::size_t kIdleKinds = 7;
const char* name_of(IdleKind kind);  // "data-loading"
IdleKind kind_of(const IdleTime& idle, const ApiTimeline& calls);

// Returns the times between the operations of each device, in the order of time.
base::Result<std::vector<IdleTime>> idle_times(const report::ReportReader& reader,
                                               const GpuWork& work, const ApiTimeline& calls,
                                               const events::RangeTree& ranges);

}  // namespace prof::insight
