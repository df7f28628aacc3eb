// Lists the statistics by name.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/stats/arguments.hpp"
#include "exporters/analysis/tables/table.hpp"

namespace prof::stats {

// The source of a statistic's data.
struct Source {
  const char* data;  // "... does not contain <data>."
  // Options of prof profile that record it, or another command.
  const char* options;
};

struct Statistic {
  const char* name;
  const char* old_name;  // nsys's name before 2023, still accepted; or null
  const char* title;
  // The statistic needs at least one of these tables. Unused elements are null. A * at the end
  // matches any characters.
  std::array<const char*, 4> tables;
  Source source;
  base::Result<tables::Table> (*run)(const report::ReportReader& reader,
                                     const Arguments& arguments);
  Takes takes;
  const char* help;
};

std::span<const Statistic> catalog();

// True if the file has one of the statistic's tables. run() may still find no rows.
bool has_table(const Statistic& report, const report::ReportReader& reader);

// Finds a report by its current or old name; null if there is none.
const Statistic* find_statistic(std::string_view name);

// Runs a report. The table is empty if the file has no data for it.
base::Result<tables::Table> run(const Statistic& report, const report::ReportReader& reader,
                                const Arguments& arguments);

using Run = base::Result<tables::Table>(const report::ReportReader& reader,
                                        const Arguments& arguments);

Run nvtx_sum, nvtx_pushpop_sum, nvtx_pushpop_trace, nvtx_startend_sum;
Run nvtx_gpu_proj_sum, nvtx_gpu_proj_trace, nvtx_kern_sum, nvtx_payload_sum, nvtx_mem_sum;
Run osrt_callers, cuda_api_callers, python_sample_sum;
Run cpu_sample_sum, cpu_sample_tree, thread_state_sum;
Run osrt_sum, osrt_file_sum, osrt_short_sum, openacc_sum, openmp_sum, openmp_regions,
    openmp_barriers, syscall_sum, ftrace_sum;
Run mpi_event_sum, mpi_event_trace, mpi_msg_size_sum, mpi_calls, mpi_ranks;
Run ucx_sum, ucx_msg_size_sum, oshmem_sum, oshmem_msg_size_sum;
Run opengl_api_sum, opengl_khr_range_sum, opengl_khr_gpu_range_sum, frames;
Run um_sum, um_total_sum, um_cpu_page_faults_sum;
Run cuda_api_sum, cuda_api_trace, cuda_api_gpu_sum;
Run cuda_gpu_kern_sum, cuda_gpu_kern_gb_sum, cuda_gpu_mem_time_sum, cuda_gpu_mem_size_sum;
Run cuda_gpu_sum, cuda_gpu_trace, cuda_kern_exec_sum, cuda_kern_exec_trace;
Run gpu_time_breakdown, gpu_idle_sum, iteration_sum;
Run stream_sum, queue_length, launch_stats, nccl_sum, nccl_bandwidth;
Run kernel_source_lines;
Run kernel_occupancy, kernel_rules, kernel_profile_sum, kernel_metrics, kernel_roofline,
    kernel_memory, kernel_stalls;
Run tensor_core_sum, critical_path, what_if;
Run operator_sum, operator_trace, operator_memory, module_tree, roofline, mfu, pyprof;
Run torch_memory;
Run memory_usage, memory_usage_trace;
Run pc_sampling_sum, pc_sampling_lines, pc_sampling_functions, pc_sampling_sass;
Run gpu_metric_util_sum, gpu_metrics_trace, power_sum, nvlink_sum, network_sum;

}  // namespace prof::stats
