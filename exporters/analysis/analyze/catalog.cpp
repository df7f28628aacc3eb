#include "exporters/analysis/analyze/catalog.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "exporters/analysis/events/api_calls.hpp"
#include "exporters/analysis/events/kernels.hpp"
#include "exporters/analysis/events/memory/memory_operations.hpp"

namespace prof::analyze {

namespace {

using events::kApiTable;
using events::kKernelTable;
using events::kMemcpyTable;
using events::kMemsetTable;

constexpr Argument kRowsOnly[] = {kRows};
constexpr Argument kGapArguments[] = {kRows, kGap};
constexpr Argument kUtilizationArguments[] = {kRows, kThreshold, kChunks};

// The rows of a rule are nsys's, but these texts are prof's.
constexpr const char* kFillGaps =
    "Less idle time means a shorter run. To find out what the CPU did in these times, look at\n"
    "the OS runtime calls and CPU samples, and put NVTX ranges around the\n"
    "steps of the program.";

// clang-format off
constexpr Rule kCatalog[] = {
    {"cuda_memcpy_async", "cuda_async_memcpy", "CUDA Async Memcpy with Pageable Memory",
     {kMemcpyTable, kApiTable}, true, "Does the application use CUDA memcpy APIs?",
     kRowsOnly, &Arguments::rows,
     "These copies are asynchronous by name, but one side is pageable memory. The driver\n"
     "copies through an intermediate buffer, and the calling thread waits. Allocate\n"
     "the host memory with cudaMallocHost or pin_memory=True.",
     "No asynchronous copy uses pageable memory.",
     cuda_memcpy_async, "Asynchronous copies that block because of pageable memory"},
    {"cuda_memcpy_sync", "cuda_sync_memcpy", "CUDA Synchronous Memcpy",
     {kMemcpyTable, kApiTable}, true, "Does the application use CUDA memcpy APIs?",
     kRowsOnly, &Arguments::rows,
     "The calling thread waited until these copies were done. (Copies of up to 64 KB to the\n"
     "device do not block and are not listed.) cudaMemcpyAsync on a stream does not block.",
     "No synchronous copy blocked a thread.",
     cuda_memcpy_sync, "Synchronous copies"},
    {"cuda_memset_sync", "cuda_sync_memset", "CUDA Synchronous Memset",
     {kMemsetTable, kApiTable}, true, "Does the application use CUDA memset APIs?",
     kRowsOnly, &Arguments::rows,
     "The calling thread waited until these fills were done. cudaMemsetAsync on a stream\n"
     "does not block.",
     "No synchronous fill blocked a thread.",
     cuda_memset_sync, "Synchronous fills of pinned or unified memory"},
    {"cuda_api_sync", "cuda_sync_api", "CUDA Synchronization APIs",
     {kApiTable}, true, "Does the application use CUDA runtime APIs?",
     kRowsOnly, &Arguments::rows,
     "In these calls the thread waited until all work issued before was done. Where one\n"
     "result is needed, wait for its event (cudaEventSynchronize); where streams depend on\n"
     "each other, let the GPU wait (cudaStreamWaitEvent).",
     "No call waited for everything issued.",
     cuda_api_sync, "Calls that wait for everything issued"},
    {"gpu_gaps", "gpu_starvation", "GPU Gaps",
     {kKernelTable, kMemcpyTable, kMemsetTable}, false, "Does the application use CUDA APIs?",
     kGapArguments, &Arguments::gap,
     "A GPU was idle for more than {} ms in each of these times.\n",
     "No GPU was idle for more than {} ms at a time.",
     gpu_gaps, "Times in which a GPU is idle"},
    {"gpu_time_util", "gpu_low_utilization", "GPU Time Utilization",
     {kKernelTable, kMemcpyTable, kMemsetTable}, false, "Does the application use CUDA APIs?",
     kUtilizationArguments, &Arguments::threshold,
     "A GPU was busy for less than {} % of each of these times.\n",
     "Every GPU was busy for at least {} % of each part of the time.",
     gpu_time_util, "Times in which a GPU is busy for a small share"},
};
// clang-format on

bool is_about_gaps(const Rule& rule) { return !rule.needs_all_tables; }

}  // namespace

std::span<const Rule> catalog() { return kCatalog; }

const Rule* find_rule(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  for (const Rule& rule : kCatalog)
    if (name == rule.name || name == rule.old_name) return &rule;
  return nullptr;
}

bool has_data(const Rule& rule, const report::ReportReader& reader) {
  const auto here = [&](const char* table) { return reader.has_table(table); };
  const auto end = std::find(rule.tables.begin(), rule.tables.end(), nullptr);
  return rule.needs_all_tables ? std::all_of(rule.tables.begin(), end, here)
                               : std::any_of(rule.tables.begin(), end, here);
}

base::Result<tables::Table> run(const Rule& rule, const report::ReportReader& reader,
                                const Arguments& arguments) {
  auto table = rule.run(reader, arguments);
  if (table && arguments.rows > 0 && table->rows.size() > static_cast<std::size_t>(arguments.rows))
    table->rows.resize(static_cast<std::size_t>(arguments.rows));
  return table;
}

std::string message(const Rule& rule, const Arguments& arguments, bool has_findings) {
  const char* text = has_findings ? rule.advice : rule.all_clear;
  const std::string result = fmt::format(fmt::runtime(text), arguments.*(rule.limit));
  return has_findings && is_about_gaps(rule) ? result + kFillGaps : result;
}

void sort_longest_first(tables::Table& table) {
  std::stable_sort(table.rows.begin(), table.rows.end(), [](const auto& a, const auto& b) {
    return std::get<std::int64_t>(a[0]) > std::get<std::int64_t>(b[0]);
  });
}

}  // namespace prof::analyze
