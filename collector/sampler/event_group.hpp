// Several perf events of one CPU with one buffer.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "collector/sampler/buffered_event.hpp"

namespace prof::sampler {

struct EventGroup {
  std::uint32_t cpu;
  BufferedEvent first;
  std::vector<base::UniqueFd> others;  // their records are in the buffer of `first`

  // Opens the events with the largest buffer, up to `bytes`, that the kernel allows. Returns none
  // if the CPU has been switched off.
  static base::Result<std::optional<EventGroup>> open(std::span<const perf_event_attr> events,
                                                      pid_t pid, int cpu, std::size_t bytes);

  // Returns how many records the kernel dropped because the buffer was full, if it counts them.
  std::uint64_t lost() const;
};

// Return the sum over all groups: dropped records, and damaged bytes.
std::uint64_t lost_records(std::span<const EventGroup> groups);
std::uint64_t corrupt_bytes(std::span<const EventGroup> groups);
// Returns descriptors that become readable when a quarter of a buffer is full.
std::vector<int> descriptors(std::span<const EventGroup> groups);

}  // namespace prof::sampler
