// Titles, labels and identifiers are those of Nsight Compute, which scripts look for.
#include "exporters/analysis/stats/pages/page_sections.hpp"

namespace prof::stats {

namespace {

using insight::KernelRule;

constexpr PageMetric kSpeedOfLight[] = {
    {"DRAM Frequency", "dram__cycles_elapsed.avg.per_second"},
    {"SM Frequency", "gpc__cycles_elapsed.avg.per_second"},
    {"Elapsed Cycles", "gpc__cycles_elapsed.max"},
    {"Memory Throughput", "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"DRAM Throughput", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"Duration", "gpu__time_duration.sum"},
    {"L1/TEX Cache Throughput", "l1tex__throughput.avg.pct_of_peak_sustained_active"},
    {"L2 Cache Throughput", "lts__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"SM Active Cycles", "sm__cycles_active.avg"},
    {"Compute (SM) Throughput", "sm__throughput.avg.pct_of_peak_sustained_elapsed"},
};
constexpr PageMetric kCompute[] = {
    {"Executed Ipc Active", "sm__inst_executed.avg.per_cycle_active"},
    {"Executed Ipc Elapsed", "sm__inst_executed.avg.per_cycle_elapsed"},
    {"Issue Slots Busy", "sm__inst_issued.avg.pct_of_peak_sustained_elapsed"},
    {"Issued Ipc Active", "sm__inst_issued.avg.per_cycle_active"},
    {"SM Busy", "sm__instruction_throughput.avg.pct_of_peak_sustained_elapsed"},
};
constexpr PageMetric kMemory[] = {
    {"Local Memory Spilling Requests", "derived__local_spilling_requests"},
    {"Local Memory Spilling Request Overhead", "derived__local_spilling_requests_pct"},
    {"Memory Throughput", "dram__bytes.sum.per_second"},
    {"Mem Busy", "gpu__compute_memory_access_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"Max Bandwidth", "gpu__compute_memory_request_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"L1/TEX Hit Rate", "l1tex__t_sector_hit_rate.pct"},
    {"L2 Persisting Size", "launch__persisting_l2_cache_size"},
    {"L2 Compression Success Rate", "lrc__average_ilc_input_sector_success_rate.pct"},
    {"L2 Compression Ratio", "lrc__average_ilc_output_sector_compression_achieved_rate.pct"},
    {"L2 Compression Input Sectors", "lrc__ilc_input_sectors.sum"},
    {"L2 Hit Rate", "lts__t_sector_hit_rate.pct"},
    {"Mem Pipes Busy", "sm__memory_throughput.avg.pct_of_peak_sustained_elapsed"},
};
constexpr PageMetric kScheduler[] = {
    {"One or More Eligible", "smsp__issue_active.avg.pct_of_peak_sustained_active"},
    {"Issued Warp Per Scheduler", "smsp__issue_active.avg.per_cycle_active"},
    {"No Eligible", "smsp__issue_inst0.avg.pct_of_peak_sustained_active"},
    {"Active Warps Per Scheduler", "smsp__warps_active.avg.per_cycle_active"},
    {"Eligible Warps Per Scheduler", "smsp__warps_eligible.avg.per_cycle_active"},
};
constexpr PageMetric kWarpState[] = {
    {"Warp Cycles Per Issued Instruction", "smsp__average_warp_latency_per_inst_issued.ratio"},
    {"Warp Cycles Per Executed Instruction", "smsp__average_warps_active_per_inst_executed.ratio"},
    {"Avg. Active Threads Per Warp", "smsp__thread_inst_executed_per_inst_executed.ratio"},
    {"Avg. Not Predicated Off Threads Per Warp",
     "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio"},
};
constexpr PageMetric kInstructions[] = {
    {"Avg. Executed Instructions Per Scheduler", "smsp__inst_executed.avg"},
    {"Executed Instructions", "smsp__inst_executed.sum"},
    {"Avg. Issued Instructions Per Scheduler", "smsp__inst_issued.avg"},
    {"Issued Instructions", "smsp__inst_issued.sum"},
};
constexpr PageMetric kLaunch[] = {
    {"Block Size", "launch__block_size"},
    {"Cluster Size", "launch__cluster_size"},
    {"Grid Size", "launch__grid_size"},
    {"Registers Per Thread", "launch__registers_per_thread"},
    {"Shared Memory Configuration Size", "launch__shared_mem_config_size"},
    {"Driver Shared Memory Per Block", "launch__shared_mem_per_block_driver"},
    {"Dynamic Shared Memory Per Block", "launch__shared_mem_per_block_dynamic"},
    {"Static Shared Memory Per Block", "launch__shared_mem_per_block_static"},
    {"# SMs", "launch__sm_count"},
    {"Stack Size", "launch__stack_size"},
    {"Threads", "launch__thread_count"},
    {"# TPCs", "launch__tpc_count"},
    {"Uses Green Context", "launch__uses_green_context"},
    {"Waves Per SM", "launch__waves_per_multiprocessor"},
};
constexpr PageMetric kOccupancy[] = {
    {"Max Active Clusters", "launch__cluster_max_active"},
    {"Max Cluster Size", "launch__cluster_max_potential_size"},
    {"Overall GPU Occupancy", "launch__occupancy_cluster_gpu_pct"},
    {"Cluster Occupancy", "launch__occupancy_cluster_pct"},
    {"Block Limit Barriers", "launch__occupancy_limit_barriers"},
    {"Block Limit SM", "launch__occupancy_limit_blocks"},
    {"Block Limit Registers", "launch__occupancy_limit_registers"},
    {"Block Limit Shared Mem", "launch__occupancy_limit_shared_mem"},
    {"Block Limit Warps", "launch__occupancy_limit_warps"},
    {"Theoretical Active Warps per SM", "sm__maximum_warps_avg_per_active_cycle"},
    {"Theoretical Occupancy", "sm__maximum_warps_per_active_cycle_pct"},
    {"Achieved Occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active"},
    {"Achieved Active Warps Per SM", "sm__warps_active.avg.per_cycle_active"},
};
constexpr PageMetric kDistribution[] = {
    {"Average DRAM Active Cycles", "dram__cycles_active.avg"},
    {"Total DRAM Elapsed Cycles", "dram__cycles_elapsed.sum"},
    {"Average L1 Active Cycles", "l1tex__cycles_active.avg"},
    {"Total L1 Elapsed Cycles", "l1tex__cycles_elapsed.sum"},
    {"Average L2 Active Cycles", "lts__cycles_active.avg"},
    {"Total L2 Elapsed Cycles", "lts__cycles_elapsed.sum"},
    {"Average SM Active Cycles", "sm__cycles_active.avg"},
    {"Total SM Elapsed Cycles", "sm__cycles_elapsed.sum"},
    {"Average SMSP Active Cycles", "smsp__cycles_active.avg"},
    {"Total SMSP Elapsed Cycles", "smsp__cycles_elapsed.sum"},
};
constexpr PageMetric kSource[] = {
    {"Branch Instructions Ratio", "derived__smsp__inst_executed_op_branch_pct"},
    {"Branch Instructions", "smsp__inst_executed_op_branch.sum"},
    {"Branch Efficiency", "smsp__sass_average_branch_targets_threads_uniform.pct"},
    {"Avg. Divergent Branches", "smsp__sass_branch_targets_threads_divergent.avg"},
};

constexpr PageSection kSections[] = {
    {"GPU Speed Of Light Throughput", "SpeedOfLight", kSpeedOfLight},
    {"GPU Speed Of Light Roofline Chart", "SpeedOfLight_RooflineChart", {}},
    {"Compute Workload Analysis", "ComputeWorkloadAnalysis", kCompute},
    {"Memory Workload Analysis", "MemoryWorkloadAnalysis", kMemory},
    {"Memory Workload Analysis Chart", "MemoryWorkloadAnalysis_Chart", {}},
    {"Memory Workload Analysis Tables", "MemoryWorkloadAnalysis_Tables", {}},
    {"Scheduler Statistics", "SchedulerStats", kScheduler},
    {"Warp State Statistics", "WarpStateStats", kWarpState},
    {"Instruction Statistics", "InstructionStats", kInstructions},
    {"Launch Statistics", "LaunchStats", kLaunch},
    {"Occupancy", "Occupancy", kOccupancy},
    {"GPU and Memory Workload Distribution", "WorkloadDistribution", kDistribution},
    {"Source Counters", "SourceCounters", kSource},
};

}  // namespace

std::span<const PageSection> page_sections() { return kSections; }

PageRule page_rule(KernelRule rule) {
  switch (rule) {
    case KernelRule::kSmallGrid:
    case KernelRule::kTail:
    case KernelRule::kPartialWarps:
      return {"LaunchStats", "LaunchConfiguration"};
    case KernelRule::kLowOccupancy:
    case KernelRule::kRegisterWaste:
      return {"Occupancy", "TheoreticalOccupancy"};
    case KernelRule::kUnusedOccupancy:
      return {"Occupancy", "AchievedOccupancy"};
    case KernelRule::kIssueSlots:
      return {"SchedulerStats", "IssueSlotUtilization"};
    case KernelRule::kStall:
      return {"WarpStateStats", "CPIStall"};
    case KernelRule::kSectorUse:
      return {"MemoryWorkloadAnalysis_Tables", "MemoryCacheAccessPattern"};
    case KernelRule::kUncoalesced:
      return {"SourceCounters", "UncoalescedGlobalAccess"};
    case KernelRule::kBankConflicts:
      return {"MemoryWorkloadAnalysis_Tables", "SharedMemoryConflicts"};
    case KernelRule::kSharedWavefronts:
      return {"SourceCounters", "UncoalescedSharedAccess"};
    case KernelRule::kDivergence:
      return {"WarpStateStats", "ThreadDivergence"};
    case KernelRule::kImbalance:
      return {"WorkloadDistribution", "WorkloadImbalance"};
    case KernelRule::kIdlePipes:
    case KernelRule::kBusyPipe:
      return {"ComputeWorkloadAnalysis", "HighPipeUtilization"};
    case KernelRule::kDoublePrecision:
      return {"SpeedOfLight_RooflineChart", "SOLFPRoofline"};
    case KernelRule::kUnfused:
      return {"InstructionStats", "FPInstructions"};
    case KernelRule::kCompression:
    case KernelRule::kCompressionWrites:
      return {"MemoryWorkloadAnalysis_Chart", "MemoryL2Compression"};
    case KernelRule::kIdleTensorCores:
      return {"ComputeWorkloadAnalysis", "IdleTensorCores"};
    case KernelRule::kSpills:
      return {"MemoryWorkloadAnalysis", "LocalMemory"};
  }
  return {"", ""};
}

}  // namespace prof::stats
