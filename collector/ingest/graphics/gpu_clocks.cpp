#include "collector/ingest/graphics/gpu_clocks.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace prof::ingest {

namespace {

constexpr double kMillionths = 1e-6;

double difference(std::uint64_t later, std::uint64_t earlier) {
  return static_cast<double>(static_cast<std::int64_t>(later - earlier));
}

// Damaged records may have any numbers. `time` is of the clock model, which has a limit, too.
std::int64_t sum(std::int64_t time, double more) {
  constexpr double kMost = 1e18;  // 31 years
  return time + std::llround(std::clamp(more, -kMost, kMost));
}

}  // namespace

void GpuClocks::define(std::uint32_t serial, const wire::VulkanClockRecord& record) {
  clocks_[{serial, record.header.aux}][record.ticks] = {record.time, record.period};
}

std::int64_t GpuClocks::to_ns(std::uint32_t serial, std::uint32_t device,
                              std::uint64_t ticks) const {
  const Moments& moments = clocks_.at({serial, device});
  const auto later = moments.lower_bound(ticks);
  const auto before = later == moments.begin() ? later : std::prev(later);
  const std::int64_t start = clock_.to_ns(before->second.time);
  const double passed = difference(ticks, before->first);
  if (later == moments.end() || later == before)
    return sum(start, passed * static_cast<double>(before->second.period) * kMillionths);
  const double length =
      static_cast<double>(clock_.to_ns(later->second.time)) - static_cast<double>(start);
  return sum(start, passed * length / difference(later->first, before->first));
}

}  // namespace prof::ingest
