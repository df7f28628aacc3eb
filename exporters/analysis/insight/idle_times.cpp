#include "exporters/analysis/insight/idle_times.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/insight/names.hpp"
#include "exporters/analysis/insight/overhead.hpp"
#include "exporters/analysis/insight/waits/busy_peers.hpp"
#include "exporters/analysis/insight/waits/host_waits.hpp"

namespace prof::insight {

namespace {

using events::ApiCall;
using events::RangeTree;

// The profiler's overhead, by process.
using OverheadTimes = std::map<std::int64_t, Intervals>;

class CauseFinder {
 public:
  CauseFinder(const GpuWork& work, const ApiTimeline& calls, const RangeTree& ranges,
              const HostWaits& waits, const OverheadTimes& overhead)
      : work_(work),
        calls_(calls),
        ranges_(ranges),
        waits_(waits),
        peers_(calls, waits),
        overhead_(overhead) {}

  // Finds the cause of an idle time that began when `last` ended, and ended when `next` began.
  IdleTime find(const Operation& last, const Operation& next) {
    const Interval time{last.end, next.start};
    IdleTime result{time, next.device, IdleCause::kOther, RangeTree::kNone};
    const auto launch = calls_.launching(work_.global_pid(next), next.correlation);
    const bool is_one_call = last.correlation == next.correlation && next.correlation != 0;
    if (!launch) {
      // The call was before the analyzed time. Only a graph's launch makes several operations.
      if (is_one_call) result.cause = IdleCause::kGraph;
      return result;
    }
    const Interval waiting{time.start, std::clamp(launch->start, time.start, time.end)};
    const std::int64_t peer = peers_.of(launch->global_tid, waiting);
    result.thread = peer == 0 ? launch->global_tid : peer;
    result.range = ranges_.innermost(result.thread, time.start + waiting.length() / 2);
    result.call = call_during(result.thread, time);
    result.launch = waiting.end;
    if (is_profiler_overhead(time, next)) return result;
    if (is_one_call && calls_.launches_graph(*launch))
      result.cause = IdleCause::kGraph;
    else if (launch->start <= time.start)
      result.cause = IdleCause::kLaunchQueue;
    else
      find_host_cause(result, waiting, result.thread);
    return result;
  }

 private:
  // `waiting` is the time from the start of the idle time to the launch that ended it.
  void find_host_cause(IdleTime& idle, const Interval& waiting, std::int64_t thread) const {
    std::int64_t synchronizing = 0;
    std::int64_t wait = IdleTime::kNoCall;
    for (const ApiCall& call : calls_.during(thread, waiting.start, waiting.end)) {
      if (calls_.kind(call) != CallKind::kWait) continue;
      wait = call.name;
      synchronizing += std::max<std::int64_t>(
          0, std::min(call.end, waiting.end) - std::max(call.start, waiting.start));
    }
    const std::int64_t launching = idle.time.end - waiting.end;
    const std::int64_t working = waiting.length() - synchronizing;
    if (wait != IdleTime::kNoCall && synchronizing + launching >= working) {
      idle.cause = IdleCause::kSync;
      idle.call = wait;
      return;
    }
    const bool loading =
        2 * waits_.waited(thread, waiting.start, waiting.end) >= idle.time.length() ||
        is_data_loading(idle.range);
    idle.cause = loading ? IdleCause::kDataLoading : IdleCause::kHostWait;
  }

  bool is_data_loading(std::int32_t range) const {
    for (; range != RangeTree::kNone; range = ranges_.at(range).parent)
      if (is_data_loading_name(ranges_.name_of(ranges_.at(range)))) return true;
    return false;
  }

  // Returns the name of the call in which the thread spent most of the time, or kNoCall if no call
  // took at least a quarter of the time.
  std::int64_t call_during(std::int64_t thread, const Interval& time) const {
    std::int64_t longest = IdleTime::kNoCall;
    std::int64_t most = std::max<std::int64_t>(time.length() / 4, 1);
    for (const ApiCall& call : calls_.during(thread, time.start, time.end)) {
      const std::int64_t shared = std::min(call.end, time.end) - std::max(call.start, time.start);
      if (shared < most) continue;
      most = shared;
      longest = call.name;
    }
    return longest;
  }

  bool is_profiler_overhead(const Interval& time, const Operation& next) const {
    const auto at = overhead_.find(events::process_of(work_.global_pid(next)));
    return at != overhead_.end() && 2 * covered(at->second, time.start, time.end) > time.length();
  }

  const GpuWork& work_;
  const ApiTimeline& calls_;
  const RangeTree& ranges_;
  const HostWaits& waits_;
  const BusyPeers peers_;
  const OverheadTimes& overhead_;
};

}  // namespace

const char* name_of(IdleCause cause) {
  static constexpr const char* kNames[kIdleCauses] = {"host wait", "launch queue", "graph",
                                                      "sync",      "data loading", "other"};
  return kNames[static_cast<std::size_t>(cause)];
}

const char* name_of(IdleKind kind) {
  static constexpr const char* kNames[kIdleKinds] = {"sync",  "data-loading", "cpu",    "launches",
                                                     "calls", "graph",        "unknown"};
  return kNames[static_cast<std::size_t>(kind)];
}

IdleKind kind_of(const IdleTime& idle, const ApiTimeline& calls) {
  // An idle time below this limit is too short for a thread to do more than launch, and a call
  // above it is slow: the launch of a kernel takes less.
  constexpr std::int64_t kShort = 100'000;  // ns
  const IdleKind of_calls = idle.time.length() < kShort ? IdleKind::kLaunches : IdleKind::kCalls;
  switch (idle.cause) {
    case IdleCause::kLaunchQueue:
      return of_calls;
    case IdleCause::kGraph:
      return IdleKind::kGraph;
    case IdleCause::kHostWait:
      return idle.time.length() < kShort ||
                     (idle.call != IdleTime::kNoCall && calls.kind_at(idle.call) != CallKind::kWait)
                 ? of_calls
                 : IdleKind::kCpu;
    case IdleCause::kSync:
      return IdleKind::kSync;
    case IdleCause::kDataLoading:
      return IdleKind::kDataLoading;
    case IdleCause::kOther:
      break;
  }
  return IdleKind::kUnknown;
}

base::Result<std::vector<IdleTime>> idle_times(const report::ReportReader& reader,
                                               const GpuWork& work, const ApiTimeline& calls,
                                               const RangeTree& ranges) {
  const std::vector<std::int64_t> threads = calls.threads();
  const auto waits = HostWaits::read(reader, {threads.begin(), threads.end()});
  if (!waits) return tl::make_unexpected(waits.error());
  auto overhead = read_overhead(reader);
  if (!overhead) return tl::make_unexpected(overhead.error());

  OverheadTimes overhead_times;
  for (auto& [process, times] : *overhead) overhead_times[process] = merged(std::move(times));

  CauseFinder finder(work, calls, ranges, *waits, overhead_times);
  std::vector<IdleTime> result;
  for (std::size_t device = 0; device < work.devices().size(); ++device) {
    Operation last = work.operations_of(device).front();
    for (const Operation& each : work.operations_of(device)) {
      if (each.start > last.end) result.push_back(finder.find(last, each));
      if (each.end > last.end) last = each;
    }
  }
  return result;
}

}  // namespace prof::insight
