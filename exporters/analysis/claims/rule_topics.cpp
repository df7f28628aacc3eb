#include "exporters/analysis/claims/rule_topics.hpp"

#include <algorithm>

namespace prof::claims {

namespace {

constexpr RuleTopics kRuleTopics[] = {
    {"pageable_copies", {"gpu_work"}},
    {"small_copies", {"gpu_work"}},
    {"single_stream", {"gpu_work", "cuda_calls"}},
    {"serial_copies", {"gpu_work"}},
    {"synchronization", {"gpu_work", "cuda_calls"}},
    {"slow_calls", {"gpu_work", "cuda_calls"}},
    {"launch_bound", {"gpu_work", "cuda_calls"}},
    {"graph_gaps", {"gpu_work"}},
    {"data_loading", {"gpu_work", "cuda_calls", "os_calls"}},
    {"cpu_bound", {"gpu_work", "cuda_calls"}},
    {"late_processes", {"gpu_work"}},
    {"late_rank", {"gpu_work"}},
    {"exposed_communication", {"gpu_work"}},
    {"slow_links", {"gpu_work", "ranges"}},
    {"small_messages", {"gpu_work", "ranges"}},
    {"uneven_iterations", {"gpu_work"}},
    {"fp32_gemm", {"gpu_work"}},
    {"inefficient_operators", {"gpu_work", "ranges"}},
    {"small_products", {"gpu_work", "ranges"}},
    {"unaligned_products", {"gpu_work", "ranges"}},
    {"unfused_operators", {"gpu_work", "ranges"}},
    {"recomputation", {"gpu_work", "ranges"}},
    {"small_grids", {"gpu_work"}},
    {"tail_effect", {"gpu_work"}},
    {"partial_warps", {"gpu_work"}},
    {"warp_stalls", {"kernel_stalls"}},
    {"unused_occupancy", {"kernel_stalls"}},
    {"unused_sector_bytes", {"kernel_stalls"}},
    {"uncoalesced_accesses", {"kernel_stalls"}},
    {"bank_conflicts", {"kernel_stalls"}},
    {"shared_wavefronts", {"kernel_stalls"}},
    {"divergent_threads", {"kernel_stalls"}},
    {"uneven_units", {"kernel_stalls"}},
    {"double_precision", {"kernel_stalls"}},
    {"unfused_arithmetic", {"kernel_stalls"}},
    {"local_memory", {"kernel_stalls"}},
    {"layout_conversion", {"gpu_work"}},
    {"memory_bound_kernels", {"gpu_work", "gpu_metrics"}},
    {"idle_tensor_cores", {"gpu_work", "gpu_metrics"}},
    {"idle_multiprocessors", {"gpu_work", "gpu_metrics"}},
    {"low_occupancy", {"gpu_work"}},
    {"memory_stalls", {"kernel_stalls"}},
    {"shared_memory_stalls", {"kernel_stalls"}},
    {"barrier_stalls", {"kernel_stalls"}},
    {"arithmetic_stalls", {"kernel_stalls"}},
    {"instruction_stalls", {"kernel_stalls"}},
    {"issue_bound_kernels", {"kernel_stalls"}},
    {"full_pcie", {"gpu_work", "gpu_metrics"}},
    {"full_nvlink", {"gpu_work", "gpu_metrics"}},
    {"shared_gpu", {"gpu_work", "gpu_metrics"}},
    {"gpu_throttled", {"gpu_work"}},
    {"allocator_churn", {"gpu_work", "cuda_calls"}},
    {"profiler_overhead", {"gpu_work"}},
    {"python_imports", {"python_functions"}},
    {"short_processes", {"thread_states"}},
    {"thread_creation", {"thread_states", "os_calls"}},
    {"event_loop_blocked", {"os_calls"}},
    {"big_messages", {"python_functions"}},
    {"exceptions", {"cpu_samples"}},
    {"heap_allocation", {"cpu_samples"}},
    {"interpreter_lock", {"thread_states"}},
    {"memory_mapping", {"cpu_samples"}},
    {"too_few_cpus", {"thread_states"}},
    {"hot_python_function", {"python_functions"}},
    {"hot_function", {"cpu_samples"}},
    {"uneven_threads", {"thread_states"}},
    {"lock_waits", {"os_calls", "thread_states"}},
    {"disk_flush", {"os_calls"}},
    {"small_transfers", {"os_calls"}},
    {"spinning", {"os_calls"}},
    {"failing_accept", {"os_calls"}},
    {"many_system_calls", {"os_calls"}},
    {"sleeping", {"os_calls"}},
    {"polling", {"os_calls"}},
    {"network_waits", {"os_calls"}},
    {"input_waits", {"os_calls"}},
    {"file_waits", {"os_calls"}},
    {"child_processes", {"os_calls", "thread_states"}},
    {"openmp_imbalance", {"openmp"}},
    {"openmp_tiny_regions", {"openmp"}},
    {"openmp_locks", {"openmp"}},
    {"openmp_serial", {"openmp"}},
    {"openmp_oversubscribed", {"openmp", "thread_states"}},
    {"gfx_stutter", {"frames"}},
    {"gfx_pipeline_hitch", {"frames"}},
    {"gfx_present_stall", {"frames"}},
    {"gfx_submit_bound", {"frames"}},
};

}  // namespace

std::span<const RuleTopics> rule_topics() { return kRuleTopics; }

const RuleTopics* find_rule_topics(std::string_view rule) {
  const auto* const at = std::ranges::find(kRuleTopics, rule, &RuleTopics::rule);
  return at == std::end(kRuleTopics) ? nullptr : at;
}

}  // namespace prof::claims
