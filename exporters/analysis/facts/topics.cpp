#include "exporters/analysis/facts/topics.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace prof::facts {

namespace {

constexpr std::string_view kNames[] = {"verdict",       "idle",   "kernels", "memory",
                                       "communication", "cpu",    "python",  "io",
                                       "operators",     "clocks", "record"};

constexpr std::string_view kIdleRules[] = {
    "synchronization", "slow_calls",    "launch_bound",   "graph_gaps",       "data_loading",
    "cpu_bound",       "single_stream", "late_processes", "uneven_iterations"};
constexpr std::string_view kKernelRules[] = {"fp32_gemm",
                                             "small_grids",
                                             "tail_effect",
                                             "partial_warps",
                                             "warp_stalls",
                                             "unused_occupancy",
                                             "unused_sector_bytes",
                                             "uncoalesced_accesses",
                                             "bank_conflicts",
                                             "shared_wavefronts",
                                             "divergent_threads",
                                             "uneven_units",
                                             "double_precision",
                                             "unfused_arithmetic",
                                             "local_memory",
                                             "layout_conversion",
                                             "memory_bound_kernels",
                                             "idle_tensor_cores",
                                             "idle_multiprocessors",
                                             "low_occupancy",
                                             "memory_stalls",
                                             "shared_memory_stalls",
                                             "barrier_stalls",
                                             "arithmetic_stalls",
                                             "instruction_stalls",
                                             "issue_bound_kernels",
                                             "shared_gpu"};
constexpr std::string_view kMemoryRules[] = {"pageable_copies", "small_copies", "serial_copies",
                                             "full_pcie", "allocator_churn"};
constexpr std::string_view kCommunicationRules[] = {"exposed_communication", "late_rank",
                                                    "slow_links", "small_messages", "full_nvlink"};
constexpr std::string_view kCpuRules[] = {"hot_function",
                                          "exceptions",
                                          "heap_allocation",
                                          "memory_mapping",
                                          "too_few_cpus",
                                          "short_processes",
                                          "thread_creation",
                                          "uneven_threads",
                                          "lock_waits",
                                          "spinning",
                                          "sleeping",
                                          "child_processes",
                                          "openmp_imbalance",
                                          "openmp_locks",
                                          "openmp_tiny_regions",
                                          "openmp_serial",
                                          "openmp_oversubscribed",
                                          "gfx_stutter",
                                          "gfx_pipeline_hitch",
                                          "gfx_present_stall",
                                          "gfx_submit_bound"};
constexpr std::string_view kPythonRules[] = {"hot_python_function", "python_imports",
                                             "interpreter_lock", "big_messages"};
constexpr std::string_view kIoRules[] = {"disk_flush",    "small_transfers", "many_system_calls",
                                         "network_waits", "input_waits",     "file_waits",
                                         "polling",       "failing_accept",  "event_loop_blocked"};
constexpr std::string_view kOperatorRules[] = {"inefficient_operators", "small_products",
                                               "unaligned_products", "unfused_operators",
                                               "recomputation"};
constexpr std::string_view kClockRules[] = {"gpu_throttled"};
constexpr std::string_view kRecordRules[] = {"profiler_overhead"};

constexpr std::string_view kIdleNeeds[] = {"gpu_work", "cuda_calls"};
constexpr std::string_view kKernelNeeds[] = {"gpu_work"};
constexpr std::string_view kMemoryNeeds[] = {"gpu_work", "gpu_memory"};
constexpr std::string_view kCpuNeeds[] = {"cpu_samples", "thread_states"};
constexpr std::string_view kPythonNeeds[] = {"python_functions"};
constexpr std::string_view kIoNeeds[] = {"os_calls"};
constexpr std::string_view kOperatorNeeds[] = {"gpu_work", "ranges"};
constexpr std::string_view kClockNeeds[] = {"gpu_metrics"};

struct Contents {
  std::span<const std::string_view> rules;
  std::span<const std::string_view> needs;
};
// In the order of the topics. The verdict and the record need nothing in particular.
constexpr Contents kContents[] = {
    {{}, {}},
    {kIdleRules, kIdleNeeds},
    {kKernelRules, kKernelNeeds},
    {kMemoryRules, kMemoryNeeds},
    {kCommunicationRules, kKernelNeeds},
    {kCpuRules, kCpuNeeds},
    {kPythonRules, kPythonNeeds},
    {kIoRules, kIoNeeds},
    {kOperatorRules, kOperatorNeeds},
    {kClockRules, kClockNeeds},
    {kRecordRules, {}},
};
static_assert(std::size(kContents) == std::size(kNames));

}  // namespace

std::span<const std::string_view> topic_names() { return kNames; }

std::string_view name_of(Topic topic) { return kNames[static_cast<std::size_t>(topic)]; }

std::optional<Topic> find_topic(std::string_view name) {
  const auto* const at = std::ranges::find(kNames, name);
  if (at == std::end(kNames)) return std::nullopt;
  return static_cast<Topic>(at - kNames);
}

Topic topic_of(std::string_view rule) {
  for (std::size_t i = 0; i < std::size(kContents); ++i)
    if (std::ranges::find(kContents[i].rules, rule) != kContents[i].rules.end())
      return static_cast<Topic>(i);
  return Topic::kVerdict;
}

std::span<const std::string_view> needs_of(Topic topic) {
  return kContents[static_cast<std::size_t>(topic)].needs;
}

}  // namespace prof::facts
