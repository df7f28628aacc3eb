#include "exporters/analysis/insight/waits/busy_peers.hpp"

#include <algorithm>

#include "exporters/analysis/events/global_ids.hpp"

namespace prof::insight {

namespace {

constexpr std::int64_t kRecently = 1'000'000'000;  // ns

}  // namespace

BusyPeers::BusyPeers(const ApiTimeline& calls, const HostWaits& waits)
    : calls_(calls), waits_(waits) {
  for (const events::ApiCall& call : calls.calls()) {
    const CallKind kind = calls.kind(call);
    if (kind != CallKind::kLaunch && kind != CallKind::kCopy) continue;
    std::vector<std::int64_t>& threads = launching_[events::process_of(call.global_tid)];
    // The calls are sorted by thread, so it is enough to compare with the last thread.
    if (threads.empty() || threads.back() != call.global_tid) threads.push_back(call.global_tid);
  }
}

std::int64_t BusyPeers::of(std::int64_t global_tid, const Interval& time) const {
  const auto threads = launching_.find(events::process_of(global_tid));
  if (threads == launching_.end() || threads->second.size() < 2) return 0;
  const Intervals waits = waits_.wakeups(global_tid, time);
  const std::int64_t waited = total(waits);
  if (waits.empty() || 2 * waited < time.length()) return 0;
  std::int64_t busiest = 0;
  std::int64_t most = 0;
  for (const std::int64_t peer : threads->second) {
    if (peer == global_tid || calls_.during(peer, time.start - kRecently, time.end).empty())
      continue;
    const std::int64_t busy = computing(peer, waits);
    if (busy <= most) continue;
    busiest = peer;
    most = busy;
  }
  return 2 * most >= waited ? busiest : 0;
}

// Returns the part of another thread's `waits` in which this thread computes: it waits neither for
// input or a wake-up nor for the GPU.
std::int64_t BusyPeers::computing(std::int64_t global_tid, const Intervals& waits) const {
  const Interval time{waits.front().start, waits.back().end};
  std::vector<Interval> idle = waits_.waits(global_tid, time);
  for (const events::ApiCall& call : calls_.during(global_tid, time.start, time.end))
    if (calls_.kind(call) == CallKind::kWait) idle.push_back({call.start, call.end});
  return total(difference(waits, merged(std::move(idle))));
}

}  // namespace prof::insight
