// A perf event of one CPU with a buffer of its own.
#pragma once

#include <sys/types.h>

#include <optional>

#include "collector/sampler/perf_event.hpp"
#include "collector/sampler/perf_ring.hpp"

namespace prof::sampler {

// How large a CPU's buffer may be so that those of all CPUs together stay within 256 MiB: a power
// of two, `most` or less.
std::size_t buffer_bytes(std::size_t cpus, std::size_t most);

struct BufferedEvent {
  base::UniqueFd event;  // readable when a quarter of the buffer is full
  PerfRing ring;

  // Gives the event the largest buffer, up to `bytes`, that the kernel lets it have. None if the
  // CPU has been switched off.
  static base::Result<std::optional<BufferedEvent>> open(perf_event_attr attributes, pid_t pid,
                                                         int cpu, std::size_t bytes);
};

}  // namespace prof::sampler
