// The stall reasons of PC samples: what a warp waits for at an instruction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace prof::stalls {

// What kernels with these reasons have in common, and so what may help.
enum class Cause : std::uint8_t {
  kNone,          // the warp does not wait
  kMemory,        // global, local and texture memory
  kSharedMemory,  // shared memory and the queue of its instructions
  kBarrier,
  kArithmetic,    // results and units of arithmetic
  kInstructions,  // the instructions themselves
};
inline constexpr Cause kWaits[] = {Cause::kMemory, Cause::kSharedMemory, Cause::kBarrier,
                                   Cause::kArithmetic, Cause::kInstructions};

struct Reason {
  std::string_view name;
  Cause cause = Cause::kNone;
  const char* meaning = "";  // "waits for ..."
  const char* remedy = "";   // what usually helps if many warps wait for it
};

// Returns the reason of a name as CUPTI reports it. A GPU may have reasons that prof does not know:
// they have no cause.
Reason reason_of(std::string_view name);

// The reasons that prof knows. Counts by reason that are to be added over reports have their order,
// and one more place for reasons that prof does not know.
std::span<const Reason> known_reasons();
std::size_t place_of(std::string_view name);

}  // namespace prof::stalls
