// A perf event of one CPU with its own buffer.
#pragma once

#include <sys/types.h>

#include <optional>

#include "collector/sampler/perf_event.hpp"
#include "collector/sampler/perf_ring.hpp"

namespace prof::sampler {

// Returns the size of a CPU's buffer, such that the buffers of all CPUs together take at most 256
// MiB. The size is a power of two and at most `most`.
std::size_t buffer_bytes(std::size_t cpus, std::size_t most);

struct BufferedEvent {
  base::UniqueFd event;  // readable when a quarter of the buffer is full
  PerfRing ring;

  // Opens the event with the largest buffer, up to `bytes`, that the kernel allows. Returns none if
  // the CPU has been switched off.
  static base::Result<std::optional<BufferedEvent>> open(perf_event_attr attributes, pid_t pid,
                                                         int cpu, std::size_t bytes);
};

}  // namespace prof::sampler
