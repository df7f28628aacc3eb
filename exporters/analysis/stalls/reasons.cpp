#include "exporters/analysis/stalls/reasons.hpp"

#include <algorithm>
#include <iterator>

namespace prof::stalls {
namespace {

constexpr const char* kFewerAccesses =
    "Use fewer and wider memory instructions (float4), let neighbouring threads access "
    "neighbouring data, and keep small arrays in registers";
constexpr const char* kMoreInFlight =
    "Load data earlier and more of it at once (unroll the loop, prefetch, cp.async), keep more "
    "warps in flight, and reuse data in shared memory or registers";
constexpr const char* kFewerFences =
    "Use narrower fences (block instead of device) and fewer of them, and store results once";
constexpr const char* kLessShared =
    "Avoid bank conflicts (pad rows of shared memory), use wider accesses to it, keep values in "
    "registers, and use fewer special functions";
constexpr const char* kFewerBarriers =
    "Give all warps of a block equal work, use smaller blocks, or synchronize only the threads of "
    "a warp (__syncwarp)";
constexpr const char* kMoreParallel =
    "Interleave independent computations in each thread (unroll, several accumulators), or keep "
    "more warps in flight";
constexpr const char* kOtherUnits =
    "Use a lower precision or tensor cores, and keep double-precision arithmetic out of the loop";
constexpr const char* kLessCode =
    "Make the loop's code smaller (unroll less, inline less), branch less, and read constants that "
    "do not depend on the thread";

constexpr Reason kReasons[] = {
    {"selected", Cause::kNone, "issues its instruction"},
    {"not_selected", Cause::kNone, "is ready, but another warp was selected"},
    {"long_scoreboard", Cause::kMemory, "waits for data from the L1 cache, the L2 cache or DRAM",
     kMoreInFlight},
    {"lg_throttle", Cause::kMemory, "waits because the queue for global and local memory is full",
     kFewerAccesses},
    {"tex_throttle", Cause::kMemory, "waits because the queue for textures is full",
     kFewerAccesses},
    {"membar", Cause::kMemory, "waits at a memory fence", kFewerFences},
    {"drain", Cause::kMemory, "waits for its last stores before it exits", kFewerFences},
    {"mio_throttle", Cause::kSharedMemory,
     "waits because the queue for shared memory and special functions is full", kLessShared},
    {"short_scoreboard", Cause::kSharedMemory,
     "waits for a result of shared memory or a special function", kLessShared},
    {"barrier", Cause::kBarrier, "waits for other warps of its block at a barrier", kFewerBarriers},
    {"wait", Cause::kArithmetic, "waits the fixed time that its previous instruction takes",
     kMoreParallel},
    {"math_pipe_throttle", Cause::kArithmetic, "waits for a busy arithmetic unit", kOtherUnits},
    {"dispatch_stall", Cause::kArithmetic, "waits because the dispatcher is held up",
     kMoreParallel},
    {"gmma", Cause::kArithmetic, "waits for the tensor cores", kMoreParallel},
    {"warpgroup_arrive", Cause::kArithmetic, "waits for the tensor cores", kMoreParallel},
    {"no_instruction", Cause::kInstructions, "waits for its next instruction to be fetched",
     kLessCode},
    {"no_instructions", Cause::kInstructions, "waits for its next instruction to be fetched",
     kLessCode},
    {"branch_resolving", Cause::kInstructions, "waits for the target of a branch", kLessCode},
    {"imc_miss", Cause::kInstructions, "waits for a constant that is not in the cache", kLessCode},
    {"sleeping", Cause::kNone, "sleeps, because the kernel asked for it"},
    {"misc", Cause::kNone, "waits for another reason"},
};

// Before this prefix was left out, names in CUPTI began with it.
constexpr std::string_view kPrefix = "smsp__pcsamp_warps_issue_stalled_";

std::string_view without_prefix(std::string_view name) {
  if (name.starts_with(kPrefix)) name.remove_prefix(kPrefix.size());
  return name;
}

}  // namespace

std::span<const Reason> known_reasons() { return kReasons; }

std::size_t place_of(std::string_view name) {
  const std::string_view known = without_prefix(name);
  const auto* const found = std::ranges::find_if(kReasons, [known](const Reason& each) {
    // One reason of CUPTI 13.0 has the name of a unit at the end.
    return known.starts_with(each.name) && (known.size() == each.name.size() ||
                                            known.substr(each.name.size()).starts_with("_pipe_"));
  });
  return static_cast<std::size_t>(found - std::begin(kReasons));
}

Reason reason_of(std::string_view name) {
  const std::size_t place = place_of(name);
  if (place == std::size(kReasons)) return {without_prefix(name)};
  const Reason& known = kReasons[place];
  return {without_prefix(name), known.cause, known.meaning, known.remedy};
}

}  // namespace prof::stalls
