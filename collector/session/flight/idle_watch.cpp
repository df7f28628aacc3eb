#include "collector/session/flight/idle_watch.hpp"

#include <algorithm>

namespace prof::session {

void IdleWatch::add(std::uint32_t device, std::uint64_t start, std::uint64_t end) {
  constexpr std::size_t kMaxDevices = 64;
  if (end < start || start == 0) return;
  if (devices_.size() >= kMaxDevices && !devices_.contains(device)) return;
  devices_[device].work.emplace_back(start, end);
}

std::vector<IdleWatch::Idle> IdleWatch::check(std::uint64_t now) {
  std::vector<Idle> found;
  if (now < late_) return found;
  const std::uint64_t known = now - late_;  // all work that began before has been reported
  for (auto& [number, device] : devices_) {
    std::ranges::sort(device.work);
    auto at = device.work.begin();
    const auto check_gap = [&, number = number, &device = device](std::uint64_t end) {
      if (device.busy_until == 0 || device.has_fired || end < device.busy_until ||
          end - device.busy_until <= longest_)
        return;
      device.has_fired = true;
      found.push_back({number, device.busy_until, end});
    };
    for (; at != device.work.end() && at->first <= known; ++at) {
      check_gap(at->first);
      if (at->second <= device.busy_until) continue;
      device.busy_until = at->second;
      device.has_fired = false;
    }
    device.work.erase(device.work.begin(), at);
    check_gap(known);
  }
  return found;
}

}  // namespace prof::session
