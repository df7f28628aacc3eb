#include "exporters/analysis/insight/occupancy/rule_texts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace prof::insight {

namespace {

std::string counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string tail_text(const Occupancy& occupancy, const GpuLimits& gpu) {
  const double whole = std::floor(occupancy.waves);
  // A last wave with few blocks is neither empty nor full.
  const double full = std::clamp(std::round(100 * (occupancy.waves - whole)), 1.0, 99.0);
  return fmt::format("{} of {} blocks, and a last one that is {:.0f} % full",
                     counted(static_cast<std::int64_t>(whole), "full wave"),
                     occupancy.blocks_per_multiprocessor * gpu.multiprocessors, full);
}

std::string partial_warp_text(const LaunchShape& launch, const GpuLimits& gpu) {
  return fmt::format("blocks of {}: the last warp has {} of {}", counted(launch.threads, "thread"),
                     launch.threads % gpu.threads_per_warp, gpu.threads_per_warp);
}

std::string step_text(const OccupancyStep& step) {
  if (step.saved == 0) return "";
  const bool registers = step.resource == Limiter::kRegisters;
  return fmt::format("; {} {} allow {:.1f} %",
                     registers ? counted(step.saved, "register") : counted(step.saved, "byte"),
                     registers ? "fewer per thread" : "less shared memory per block", step.percent);
}

std::string occupancy_text(const Occupancy& occupancy, const LaunchShape& launch,
                           const GpuLimits& gpu) {
  return fmt::format("{:.1f} % occupancy: {} of {} per multiprocessor, limited by {}{}",
                     occupancy.percent, counted(occupancy.blocks_per_multiprocessor, "block"),
                     counted(launch.threads, "thread"), limiter_text(occupancy),
                     step_text(next_step(launch, gpu)));
}

}  // namespace

const char* rule_name(KernelRule rule) {
  switch (rule) {
    case KernelRule::kSmallGrid:
      return "small_grids";
    case KernelRule::kTail:
      return "tail_effect";
    case KernelRule::kPartialWarps:
      return "partial_warps";
    case KernelRule::kLowOccupancy:
      return "low_occupancy";
    case KernelRule::kUnusedOccupancy:
      return "unused_occupancy";
    case KernelRule::kIssueSlots:
      return "idle_schedulers";
    case KernelRule::kStall:
      return "warp_stalls";
    case KernelRule::kSectorUse:
      return "unused_sector_bytes";
    case KernelRule::kUncoalesced:
      return "uncoalesced_accesses";
    case KernelRule::kBankConflicts:
      return "bank_conflicts";
    case KernelRule::kSharedWavefronts:
      return "shared_wavefronts";
    case KernelRule::kDivergence:
      return "divergent_threads";
    case KernelRule::kImbalance:
      return "uneven_units";
    case KernelRule::kIdlePipes:
      return "idle_pipes";
    case KernelRule::kBusyPipe:
      return "busy_pipe";
    case KernelRule::kDoublePrecision:
      return "double_precision";
    case KernelRule::kUnfused:
      return "unfused_arithmetic";
    case KernelRule::kCompression:
      return "l2_compression";
    case KernelRule::kCompressionWrites:
      return "l2_compression_writes";
    case KernelRule::kIdleTensorCores:
      return "idle_tensor_cores";
    case KernelRule::kSpills:
      return "local_memory";
    case KernelRule::kRegisterWaste:
      return "register_waste";
  }
  return "";
}

std::string reason_text(KernelRule rule, const LaunchShape& launch, const GpuLimits& gpu) {
  const Occupancy occupancy = occupancy_of(launch, gpu);
  switch (rule) {
    case KernelRule::kSmallGrid:
      return fmt::format("{} for {}", counted(launch.blocks, "block"),
                         counted(gpu.multiprocessors, "multiprocessor"));
    case KernelRule::kTail:
      return tail_text(occupancy, gpu);
    case KernelRule::kPartialWarps:
      return partial_warp_text(launch, gpu);
    default:
      break;
  }
  return occupancy_text(occupancy, launch, gpu);
}

}  // namespace prof::insight
