#include "exporters/analysis/stats/defaults.hpp"

#include <algorithm>
#include <string_view>

namespace prof::stats {

namespace {

// The order: what the time went into, what the program waited for, then details.
constexpr std::string_view kForTerminal[] = {
    // the whole run
    "gpu_time_breakdown", "iteration_sum", "python_sample_sum", "cpu_sample_sum",
    "cuda_gpu_kern_sum", "kernel_profile_sum", "nvtx_sum", "thread_state_sum", "osrt_sum",
    "osrt_file_sum", "syscall_sum", "ftrace_sum", "cuda_api_sum", "cuda_gpu_mem_time_sum",
    "cuda_gpu_mem_size_sum", "mpi_event_sum", "ucx_sum", "oshmem_sum", "openmp_sum", "openacc_sum",
    "vulkan_api_sum", "vulkan_marker_sum", "vulkan_gpu_marker_sum", "opengl_api_sum",
    "opengl_khr_range_sum", "opengl_khr_gpu_range_sum",
    // causes
    "gpu_idle_sum", "gpu_metric_util_sum", "pc_sampling_lines", "kernel_source_lines", "power_sum",
    "nccl_sum", "nvlink_sum", "network_sum", "osrt_callers", "cuda_api_callers",
    "nvtx_gpu_proj_sum", "memory_usage", "torch_memory", "vulkan_memory", "stream_sum",
    "um_total_sum", "um_sum", "um_cpu_page_faults_sum", "mpi_msg_size_sum",
    // details
    "launch_stats", "cuda_kern_exec_sum", "queue_length", "kernel_occupancy", "tensor_core_sum",
    "nvtx_mem_sum", "cpu_sample_tree"};

bool is_default(const Statistic& report) {
  return std::find(std::begin(kForTerminal), std::end(kForTerminal), report.name) !=
         std::end(kForTerminal);
}

}  // namespace

std::vector<const Statistic*> defaults_for_files() {
  std::vector<const Statistic*> reports;
  for (const Statistic& report : catalog())
    if (is_default(report)) reports.push_back(&report);
  return reports;
}

std::vector<const Statistic*> defaults_for_terminal() {
  std::vector<const Statistic*> reports;
  for (const std::string_view name : kForTerminal) reports.push_back(find_statistic(name));
  return reports;
}

std::vector<std::string> further_reports(const report::ReportReader& reader) {
  std::vector<std::string> names;
  for (const Statistic& report : catalog())
    if (!is_default(report) && has_table(report, reader)) names.emplace_back(report.name);
  return names;
}

}  // namespace prof::stats
