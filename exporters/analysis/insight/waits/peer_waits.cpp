#include "exporters/analysis/insight/waits/peer_waits.hpp"

#include <algorithm>

#include "exporters/analysis/insight/breakdown.hpp"

namespace prof::insight {

namespace {

// The shortest wait that counts, in ns. Shorter waits are the normal differences of launches.
constexpr std::int64_t kShortest = 20'000;

std::vector<std::vector<Operation>> communication_of(const GpuWork& work) {
  std::vector<std::vector<Operation>> result(work.devices().size());
  for (const Operation& each : work.operations())
    if (each.communication) result[each.device].push_back(each);
  return result;
}

// Returns the peer's kernel that belongs to this kernel: of the kernels with the same name, the one
// that overlaps it longest. Several may overlap it, because a device may begin its next kernel
// before all peers have ended this one.
const Operation* partner(const std::vector<Operation>& peers, const Operation& kernel) {
  auto at =
      std::lower_bound(peers.begin(), peers.end(), kernel.end,
                       [](const Operation& peer, std::int64_t time) { return peer.start < time; });
  constexpr int kMaxLookedAt = 16;  // there may be concurrent kernels of other communicators
  const Operation* best = nullptr;
  std::int64_t longest = 0;
  for (int i = 0; i < kMaxLookedAt && at != peers.begin(); ++i) {
    const Operation* peer = &*--at;
    const std::int64_t shared =
        std::min(peer->end, kernel.end) - std::max(peer->start, kernel.start);
    if (peer->name != kernel.name || shared <= longest) continue;
    best = peer;
    longest = shared;
  }
  return best;
}

}  // namespace

std::vector<PeerWait> peer_waits(const GpuWork& work) {
  const auto kernels = communication_of(work);
  std::vector<PeerWait> result;
  for (std::uint32_t device = 0; device < kernels.size(); ++device) {
    if (kernels[device].empty()) continue;
    const Intervals computing = activity(work, device).compute;
    for (const Operation& kernel : kernels[device]) {
      const Operation* last = nullptr;
      for (std::uint32_t peer = 0; peer < kernels.size(); ++peer) {
        if (peer == device) continue;
        const Operation* other = partner(kernels[peer], kernel);
        if (other != nullptr && (last == nullptr || other->start > last->start)) last = other;
      }
      if (last == nullptr || last->start - kernel.start < kShortest) continue;
      for (const Interval& time : difference({{kernel.start, last->start}}, computing))
        result.push_back({device, last->device, time});
    }
  }
  return result;
}

}  // namespace prof::insight
