// Merges the kernel's records of all CPUs by time. The records of a CPU are in order; those of a
// thread are spread over the CPUs that it ran on.
#pragma once

#include <cstdint>
#include <functional>
#include <memory_resource>
#include <span>
#include <string_view>

#include "collector/spool/kernel_records.hpp"

namespace prof::ingest {

struct KernelEvent {
  spool::KernelRecord record;
  std::uint32_t cpu;
  std::string_view name;              // of a kName record; points into the piece
  std::span<const std::byte> fields;  // of a kTracepoint record; points into the piece
};

// Passes each event of a source to `visit`. The pieces of a CPU must be in the order in which they
// were drained, as in a spool. `memory` is used for lists of the pieces. Returns the number of
// bytes that were skipped because they were damaged.
std::uint64_t for_each_kernel_event(std::span<const spool::KernelPiece> pieces,
                                    spool::KernelSource source, std::pmr::memory_resource* memory,
                                    const std::function<void(const KernelEvent&)>& visit);

}  // namespace prof::ingest
