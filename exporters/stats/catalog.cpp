#include "exporters/stats/catalog.hpp"

#include <algorithm>

#include "exporters/stats/api_calls.hpp"
#include "exporters/stats/kernels.hpp"
#include "exporters/stats/memory_operations.hpp"

namespace prof::stats {

namespace {

constexpr const char* kNoNvtx = "NV Tools Extension (NVTX) data";
constexpr const char* kNoApi = "CUDA trace data";
constexpr const char* kNoKernels = "CUDA kernel data";
constexpr const char* kNoGpu = "GPU trace data";
constexpr const char* kNoMemory = "GPU memory data";

// clang-format off
constexpr StatsReport kCatalog[] = {
    {"nvtx_sum", "nvtxsum", "NVTX Range Summary",
     {"NVTX_EVENTS"}, kNoNvtx, nvtx_sum, false,
     "Time in NVTX ranges of either kind, by domain and name"},
    {"osrt_sum", "osrtsum", "OS Runtime Summary",
     {"OSRT_API"}, "OS Runtime trace data", osrt_sum, false,
     "Time in OS-runtime calls, by function"},
    {"cuda_api_sum", "cudaapisum", "CUDA API Summary",
     {kApiTable}, kNoApi, cuda_api_sum, false,
     "Time in CUDA API calls, by function"},
    {"cuda_gpu_kern_sum", "gpukernsum", "CUDA GPU Kernel Summary",
     {kKernelTable}, kNoKernels, cuda_gpu_kern_sum, true,
     "Time in kernels, by name"},
    {"cuda_gpu_mem_time_sum", "gpumemtimesum", "CUDA GPU MemOps Summary (by Time)",
     {kMemcpyTable, kMemsetTable}, kNoMemory, cuda_gpu_mem_time_sum, false,
     "Time in copies and fills of GPU memory, by direction"},
    {"cuda_gpu_mem_size_sum", "gpumemsizesum", "CUDA GPU MemOps Summary (by Size)",
     {kMemcpyTable, kMemsetTable}, kNoMemory, cuda_gpu_mem_size_sum, false,
     "Amount of GPU memory copied and filled, by direction"},

    {"cuda_api_gpu_sum", "apigpusum", "CUDA Summary (API/Kernels/MemOps)",
     {kApiTable, kKernelTable, kMemcpyTable, kMemsetTable}, kNoApi, cuda_api_gpu_sum, true,
     "Time in CUDA API calls, kernels, copies and fills together"},
    {"cuda_api_trace", "cudaapitrace", "CUDA API Trace",
     {kApiTable}, kNoApi, cuda_api_trace, false,
     "Every CUDA API call"},
    {"cuda_gpu_kern_gb_sum", "gpukerngbsum", "CUDA GPU Kernel/Grid/Block Summary",
     {kKernelTable}, kNoKernels, cuda_gpu_kern_gb_sum, true,
     "Time in kernels, by name, grid and block"},
    {"cuda_gpu_sum", "gpusum", "CUDA GPU Summary (Kernels/MemOps)",
     {kKernelTable, kMemcpyTable, kMemsetTable}, kNoGpu, cuda_gpu_sum, true,
     "Time in kernels, copies and fills together"},
    {"cuda_gpu_trace", "gputrace", "CUDA GPU Trace",
     {kKernelTable, kMemcpyTable, kMemsetTable}, kNoGpu, cuda_gpu_trace, true,
     "Every kernel, copy and fill"},
    {"cuda_kern_exec_sum", "kernexecsum", "CUDA Kernel Launch & Exec Time Summary",
     {kKernelTable}, kNoKernels, cuda_kern_exec_sum, true,
     "Launch, wait and run of kernels, by thread and name"},
    {"cuda_kern_exec_trace", "kernexectrace", "CUDA Kernel Launch & Exec Time Trace",
     {kKernelTable}, kNoKernels, cuda_kern_exec_trace, true,
     "Every kernel with its launch"},
    {"nvtx_pushpop_sum", "nvtxppsum", "NVTX Push/Pop Range Summary",
     {"NVTX_EVENTS"}, kNoNvtx, nvtx_pushpop_sum, false,
     "Time in NVTX push/pop ranges, by domain and name"},
};
// clang-format on

constexpr std::size_t kDefaults = 6;

}  // namespace

std::span<const StatsReport> catalog() { return kCatalog; }

std::span<const StatsReport> default_reports() { return catalog().first(kDefaults); }

const StatsReport* find_report(std::string_view name) {
  for (const StatsReport& report : kCatalog)
    if (name == report.name || name == report.old_name) return &report;
  return nullptr;
}

base::Result<Table> run(const StatsReport& report, const report::ReportReader& reader,
                        const Arguments& arguments) {
  const bool has_data =
      std::any_of(report.tables.begin(), report.tables.end(),
                  [&](const char* table) { return table != nullptr && reader.has_table(table); });
  return has_data ? report.run(reader, arguments) : Table{};
}

}  // namespace prof::stats
