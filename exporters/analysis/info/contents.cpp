#include "exporters/analysis/info/contents.hpp"

#include <fmt/format.h>

#include "exporters/analysis/events/api_calls.hpp"
#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/graphics/vulkan_tables.hpp"
#include "exporters/analysis/events/kernels.hpp"
#include "exporters/analysis/events/memory/memory_operations.hpp"
#include "exporters/analysis/events/nvtx/nvtx_ranges.hpp"
#include "exporters/analysis/events/rows.hpp"

namespace prof::info {

namespace {

report::RowCondition where(const char* column, std::vector<std::int64_t> numbers) {
  return {column, std::move(numbers)};
}

}  // namespace

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> kinds = {
      {"Processes", "PROCESSES", {}, ""},
      {"Threads", "ThreadNames", {}, ""},
      {"NVTX ranges", events::kNvtxTable, where("eventType", {59, 60}),
       "nvtx_sum, nvtx_gpu_proj_sum"},
      {"NVTX marks", events::kNvtxTable, where("eventType", {34}), ""},
      {"OS-runtime calls", events::kOsrtTable, events::osrt_calls(), "osrt_sum"},
      {"call chains of OS-runtime calls", events::kOsrtCallChainTable, where("stackDepth", {0}),
       "osrt_callers"},
      {"threads and functions with short OS-runtime calls",
       events::kShortCallTable,
       {},
       "osrt_short_sum"},
      {"file accesses", events::kFileEventTable, {}, "osrt_file_sum"},
      {"system calls", events::kSyscallTable, {}, "syscall_sum"},
      {"CPU samples", events::kCpuSampleTable, {}, "cpu_sample_sum, cpu_sample_tree"},
      {"Python samples", "PROF_PYTHON_SAMPLES", {}, "python_sample_sum"},
      {"places where Python threads waited", events::kPythonWaitTable, {}, ""},
      {"context switches", events::kSchedulingTable, {}, "thread_state_sum"},
      {"CUDA API calls", events::kApiTable, events::api_calls(), "cuda_api_sum, cuda_api_trace"},
      {"call chains of CUDA API calls", events::kApiCallChainTable, where("stackDepth", {0}),
       "cuda_api_callers"},
      {"GPU kernels", events::kKernelTable, {}, "cuda_gpu_kern_sum, gpu_time_breakdown"},
      {"GPU copies", events::kMemcpyTable, {}, "cuda_gpu_mem_time_sum, cuda_gpu_mem_size_sum"},
      {"GPU fills", events::kMemsetTable, {}, "cuda_gpu_mem_time_sum, cuda_gpu_mem_size_sum"},
      {"CUDA graphs run", events::kGraphTable, {}, "gpu_time_breakdown"},
      {"CUDA synchronizations", "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", {}, ""},
      {"GPU memory allocations", events::kMemoryUsageTable, {}, "memory_usage"},
      {"CPU page faults of unified memory", events::kCpuFaultTable, {}, "um_cpu_page_faults_sum"},
      {"GPU page faults of unified memory", events::kGpuFaultTable, {}, "um_total_sum"},
      {"cuBLAS calls", "CUBLAS_EVENTS", {}, ""},
      {"cuDNN calls", "CUDNN_EVENTS", {}, ""},
      {"cuSOLVER calls", "CUSOLVER_EVENTS", {}, ""},
      {"cuSPARSE calls", "CUSPARSE_EVENTS", {}, ""},
      {"NCCL calls", "NCCL_EVENTS", {}, ""},
      {"MPI messages", events::kPointToPointTable, {}, "mpi_calls, mpi_msg_size_sum"},
      {"MPI collectives", events::kCollectiveTable, {}, "mpi_calls, mpi_msg_size_sum"},
      {"MPI starts and waits", events::kStartWaitTable, {}, "mpi_event_sum, mpi_calls"},
      {"other MPI calls", events::kOtherMpiTable, {}, "mpi_event_sum, mpi_calls"},
      {"MPI calls that nsys does not record", events::kOwnMpiTable, {}, ""},
      {"UCX transfers", events::kUcpSubmitTable, {}, "ucx_sum, ucx_msg_size_sum"},
      {"other UCX calls", events::kUcpTable, {}, "ucx_sum"},
      {"OpenSHMEM calls", events::kShmemTable, {}, "oshmem_sum, oshmem_msg_size_sum"},
      {"PyTorch's memory", events::kTorchMemoryTable, {}, "torch_memory, operator_memory"},
      {"OpenMP events", events::kOpenMpTables, {}, "openmp_sum, openmp_regions, openmp_barriers"},
      {"OpenACC events", events::kOpenAccTables, {}, "openacc_sum"},
      {"Vulkan calls", events::kVulkanTable, events::vulkan_calls(), "vulkan_api_sum"},
      {"Vulkan debug labels", events::kVulkanLabelTable, {}, "vulkan_marker_sum"},
      {"memory operations of Vulkan", events::kVulkanMemoryTable, {}, "vulkan_memory"},
      {"GPU workloads of Vulkan", events::kVulkanWorkTable, {}, "vulkan_gpu_marker_sum"},
      {"OpenGL calls", events::kOpenGlTable, {}, "opengl_api_sum, frames"},
      {"OpenGL debug groups and markers",
       events::kOpenGlGroupTable,
       {},
       "opengl_khr_range_sum, opengl_khr_gpu_range_sum"},
      {"GPU workloads of OpenGL", events::kOpenGlWorkTable, {}, ""},
      {"GPU metrics", "GPU_METRICS", {}, ""},
  };
  return kinds;
}

namespace {

base::Result<std::int64_t> count(const report::ReportReader& reader, const std::string& table,
                                 const std::optional<report::RowCondition>& condition) {
  std::int64_t rows = 0;
  const base::Status read =
      events::for_each_row(reader,
                           fmt::format("SELECT count(*) FROM main.{}{}", report::quoted(table),
                                       condition ? " WHERE " + to_sql(*condition) : ""),
                           [&](const report::Statement& row) { rows = row.integer(0); });
  if (!read) return tl::make_unexpected(read.error());
  return rows;
}

bool is_table_of(const Kind& kind, std::string_view table) {
  std::string_view name = kind.table;
  if (!name.ends_with('*')) return table == name;
  name.remove_suffix(1);
  return table.starts_with(name);
}

}  // namespace

base::Status read_contents(const report::ReportReader& reader, ReportInfo& info) {
  for (const std::string& table : reader.tables()) {
    const auto rows = count(reader, table, {});
    if (!rows) return tl::make_unexpected(rows.error());
    if (*rows > 0) info.tables.emplace_back(table, *rows);
  }
  for (const Kind& kind : kinds()) {
    std::int64_t rows = 0;
    for (const auto& [table, of_table] : info.tables) {
      if (!is_table_of(kind, table)) continue;
      const auto of_kind = kind.condition ? count(reader, table, kind.condition)
                                          : base::Result<std::int64_t>(of_table);
      if (!of_kind) return tl::make_unexpected(of_kind.error());
      rows += *of_kind;
    }
    if (rows > 0) info.contents.push_back({kind.name, rows, kind.statistics});
  }
  return {};
}

}  // namespace prof::info
