#include "collector/sampler/buffered_event.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>

namespace prof::sampler {

namespace {

constexpr std::size_t kBytesOfAllCpus = std::size_t{256} << 20;
constexpr std::size_t kMinBytes = std::size_t{512} << 10;
// The minimum size: a smaller buffer cannot hold a burst of a millisecond.
constexpr std::size_t kSmallestBuffer = 64 * 1024;

}  // namespace

std::size_t buffer_bytes(std::size_t cpus, std::size_t most) {
  return std::clamp(std::bit_floor(kBytesOfAllCpus / std::max<std::size_t>(cpus, 1)), kMinBytes,
                    most);
}

base::Result<std::optional<BufferedEvent>> BufferedEvent::open(perf_event_attr attributes,
                                                               pid_t pid, int cpu,
                                                               std::size_t bytes) {
  for (;; bytes /= 2) {
    attributes.watermark = 1;
    attributes.wakeup_watermark = static_cast<std::uint32_t>(bytes / 4);
    base::UniqueFd event = open_event(attributes, pid, cpu);
    if (!event && errno == ENODEV) return std::nullopt;
    if (!event) return base::fail(explain_open_error(errno));
    auto ring = PerfRing::map(event, bytes);
    if (ring) return BufferedEvent{std::move(event), std::move(*ring)};
    if (bytes <= kSmallestBuffer)
      return base::fail("the kernel provides no buffer (" + ring.error().message +
                        "); raise ulimit -l or sysctl kernel.perf_event_mlock_kb");
  }
}

}  // namespace prof::sampler
