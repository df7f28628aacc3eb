// SASS metrics of a launch: counts of its machine instructions, and their sums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <string_view>

#include "common/wire/kernel_records.hpp"

namespace prof::ingest {

struct CountedInstruction {
  wire::KernelInstructionRecord record;
  std::span<const std::byte> counts;  // wire::KernelCount items, in the mapped spool
};

// Calls `take(const wire::KernelCount&)` for each count of an instruction.
template <class Take>
void for_each_count(const CountedInstruction& instruction, Take&& take) {
  for (auto rest = instruction.counts; rest.size() >= sizeof(wire::KernelCount);
       rest = rest.subspan(sizeof(wire::KernelCount))) {
    wire::KernelCount count;
    std::memcpy(&count, rest.data(), sizeof count);
    take(count);
  }
}

// Returns the sums over all instructions, by string hash of the metric.
std::map<std::uint64_t, std::uint64_t> sums_of(std::span<const CountedInstruction> instructions);

// The names of CUPTI's SASS metrics begin so and have no suffix. With a suffix they are metrics of
// the range profiler.
bool is_sass_metric(std::string_view name);

// A metric of a launch that is made from SASS metrics. Its name is Nsight Compute's.
struct LaunchSum {
  std::string_view name;
  std::string_view unit;
  std::string_view description;
  std::string_view of;     // CUPTI's name
  std::string_view minus;  // the sum of this one is subtracted; empty: none
};

// Returns all of them. A SASS metric that is in none of them keeps its name.
std::span<const LaunchSum> launch_sums();

}  // namespace prof::ingest
