#include "exporters/insight/waits/busy_peers.hpp"

#include <algorithm>

#include "exporters/events/global_ids.hpp"

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
    // The calls are sorted by thread.
    if (threads.empty() || threads.back() != call.global_tid) threads.push_back(call.global_tid);
  }
}

std::int64_t BusyPeers::of(std::int64_t global_tid, const Interval& time) const {
  if (2 * waits_.waited_for_wakeup(global_tid, time.start, time.end) < time.length()) return 0;
  const auto threads = launching_.find(events::process_of(global_tid));
  if (threads == launching_.end()) return 0;
  std::int64_t busiest = 0;
  std::int64_t most = 0;
  for (const std::int64_t peer : threads->second) {
    if (peer == global_tid) continue;
    const auto [first, last] = calls_.during(peer, time.start - kRecently, time.end);
    if (first == last) continue;
    const std::int64_t busy = computing(peer, time);
    if (busy <= most) continue;
    busiest = peer;
    most = busy;
  }
  return 2 * most >= time.length() ? busiest : 0;
}

// The time in which the thread waits neither for input or a wake-up nor for the GPU.
std::int64_t BusyPeers::computing(std::int64_t global_tid, const Interval& time) const {
  std::int64_t result = time.length() - waits_.waited(global_tid, time.start, time.end);
  const auto [first, last] = calls_.during(global_tid, time.start, time.end);
  for (const events::ApiCall* call = first; call != last; ++call)
    if (calls_.kind(*call) == CallKind::kWait)
      result -= std::max<std::int64_t>(
          0, std::min(call->end, time.end) - std::max(call->start, time.start));
  return result;
}

}  // namespace prof::insight
