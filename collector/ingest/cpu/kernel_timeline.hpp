// The kernel's records of all CPUs in the order of their times. A thread's records are spread over
// the CPUs that it ran on, and each CPU's are in order.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "collector/spool/kernel_records.hpp"

namespace prof::ingest {

struct KernelEvent {
  spool::KernelRecord record;
  std::uint32_t cpu;
  std::string_view name;  // of a kName record; lies in the piece
};

// Hands every event of that source to `visit`; returns the bytes that made no sense. The pieces of
// a CPU have to come in the order in which they were drained, as they do in a spool.
std::uint64_t for_each_kernel_event(std::span<const spool::KernelPiece> pieces,
                                    spool::KernelSource source,
                                    const std::function<void(const KernelEvent&)>& visit);

}  // namespace prof::ingest
