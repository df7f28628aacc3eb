#include "collector/ingest/cuda/instruction_counts.hpp"

namespace prof::ingest {

namespace {

constexpr std::string_view kSassPrefix = "smsp__sass_";

constexpr LaunchSum kLaunchSums[] = {
    {"inst_executed", "inst", "instructions that warps executed", "smsp__sass_inst_executed", {}},
    {"thread_inst_executed",
     "inst",
     "instructions that threads executed, whatever the predicate",
     "smsp__sass_thread_inst_executed",
     {}},
    {"thread_inst_executed_true",
     "inst",
     "instructions that threads executed, with true predicates",
     "smsp__sass_thread_inst_executed_pred_on",
     {}},
    {"smsp__branch_targets_threads_divergent",
     "branches",
     "branches at which the threads of a warp took different ways",
     "smsp__sass_branch_targets_threads_divergent",
     {}},
    {"smsp__branch_targets_threads_uniform",
     "branches",
     "branches at which all threads of a warp went the same way",
     "smsp__sass_branch_targets_threads_uniform",
     {}},
    {"memory_l1_tag_requests_global",
     "sectors",
     "lookups of tags in L1 for global memory",
     "smsp__sass_l1tex_tags_mem_global",
     {}},
    {"memory_l2_theoretical_sectors_global",
     "sectors",
     "sectors of global memory that are accessed",
     "smsp__sass_sectors_mem_global",
     {}},
    {"memory_l2_theoretical_sectors_global_ideal",
     "sectors",
     "sectors that the accessed bytes of global memory would fill",
     "smsp__sass_sectors_mem_global_ideal",
     {}},
    {"derived__memory_l2_theoretical_sectors_global_excessive", "sector",
     "sectors of global memory that a better pattern of accesses would save",
     "smsp__sass_sectors_mem_global", "smsp__sass_sectors_mem_global_ideal"},
    {"memory_l2_theoretical_sectors_local",
     "sectors",
     "sectors of local memory that are accessed",
     "smsp__sass_sectors_mem_local",
     {}},
    {"memory_l1_wavefronts_shared",
     "sectors",
     "wavefronts of shared memory",
     "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared",
     {}},
    {"memory_l1_wavefronts_shared_ideal",
     "sectors",
     "wavefronts of shared memory that would be needed without bank conflicts",
     "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared_ideal",
     {}},
    {"derived__memory_l1_wavefronts_shared_excessive", "",
     "wavefronts of shared memory that bank conflicts cause",
     "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared",
     "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared_ideal"},
};

}  // namespace

std::map<std::uint64_t, std::uint64_t> sums_of(std::span<const CountedInstruction> instructions) {
  std::map<std::uint64_t, std::uint64_t> sums;
  for (const CountedInstruction& each : instructions)
    for_each_count(each,
                   [&](const wire::KernelCount& count) { sums[count.metric] += count.value; });
  return sums;
}

bool is_sass_metric(std::string_view name) {
  return name.starts_with(kSassPrefix) && name.find('.') == std::string_view::npos;
}

std::span<const LaunchSum> launch_sums() { return kLaunchSums; }

}  // namespace prof::ingest
