#include "exporters/analyze/catalog.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "exporters/stats/api_calls.hpp"
#include "exporters/stats/kernels.hpp"
#include "exporters/stats/memory_operations.hpp"

namespace prof::analyze {

namespace {

using stats::kApiTable;
using stats::kKernelTable;
using stats::kMemcpyTable;
using stats::kMemsetTable;

constexpr Argument kRowsOnly[] = {kRows};
constexpr Argument kGapArguments[] = {kRows, kGap};
constexpr Argument kUtilizationArguments[] = {kRows, kThreshold, kChunks};

// Worded and broken into lines as nsys prints them; of cuda_memset_sync and of what is all clear,
// after the manner of those that are known from its output.
constexpr const char* kFillGaps =
    "Addressing the gaps might improve application performance.\n"
    "\n"
    "Suggestions:\n"
    "   1. Use CPU sampling data, OS Runtime blocked state backtraces, and/or OS\n"
    "Runtime APIs related to thread synchronization to understand if a sluggish or\n"
    "blocked CPU is causing the gaps.\n"
    "   2. Add NVTX annotations to CPU code to understand the reason behind the gaps.";

// clang-format off
constexpr Rule kCatalog[] = {
    {"cuda_memcpy_async", "cuda_async_memcpy", "CUDA Async Memcpy with Pageable Memory",
     {kMemcpyTable, kApiTable}, true, "Does the application use CUDA memcpy APIs?",
     kRowsOnly, &Arguments::rows,
     "The following APIs use PAGEABLE memory which causes asynchronous CUDA memcpy\n"
     "operations to block and be executed synchronously. This leads to low GPU\n"
     "utilization.\n"
     "\n"
     "Suggestion: If applicable, use PINNED memory instead.",
     "There were no problems detected related to memcpy operations using pageable\n"
     "memory.",
     cuda_memcpy_async, "Asynchronous copies that block because of pageable memory"},
    {"cuda_memcpy_sync", "cuda_sync_memcpy", "CUDA Synchronous Memcpy",
     {kMemcpyTable, kApiTable}, true, "Does the application use CUDA memcpy APIs?",
     kRowsOnly, &Arguments::rows,
     "The following are synchronous memory transfers that block the host. This does\n"
     "not include host to device transfers of a memory block of 64 KB or less.\n"
     "\n"
     "Suggestion: Use cudaMemcpy*Async() APIs instead.",
     "There were no problems detected related to synchronous memcpy operations.",
     cuda_memcpy_sync, "Synchronous copies"},
    {"cuda_memset_sync", "cuda_sync_memset", "CUDA Synchronous Memset",
     {kMemsetTable, kApiTable}, true, "Does the application use CUDA memset APIs?",
     kRowsOnly, &Arguments::rows,
     "The following are synchronous memset operations that block the host.\n"
     "\n"
     "Suggestion: Use cudaMemset*Async() APIs instead.",
     "There were no problems detected related to synchronous memset operations.",
     cuda_memset_sync, "Synchronous fills of pinned or unified memory"},
    {"cuda_api_sync", "cuda_sync_api", "CUDA Synchronization APIs",
     {kApiTable}, true, "Does the application use CUDA runtime APIs?",
     kRowsOnly, &Arguments::rows,
     "The following are synchronization APIs that block the host until all issued\n"
     "CUDA calls are complete.\n"
     "\n"
     "Suggestions:\n"
     "   1. Avoid excessive use of synchronization.\n"
     "   2. Use asynchronous CUDA event calls, such as cudaStreamWaitEvent() and\n"
     "cudaEventSynchronize(), to prevent host synchronization.",
     "There were no problems detected related to synchronization APIs.",
     cuda_api_sync, "Calls that wait for everything issued"},
    {"gpu_gaps", "gpu_starvation", "GPU Gaps",
     {kKernelTable, kMemcpyTable, kMemsetTable}, false, "Does the application use CUDA APIs?",
     kGapArguments, &Arguments::gap,
     "The following are ranges where a GPU is idle for more than {}ms.\n",
     "There were no problems detected with GPU utilization. GPU was not found to be\n"
     "idle for more than {}ms.",
     gpu_gaps, "Times in which a GPU is idle"},
    {"gpu_time_util", "gpu_low_utilization", "GPU Time Utilization",
     {kKernelTable, kMemcpyTable, kMemsetTable}, false, "Does the application use CUDA APIs?",
     kUtilizationArguments, &Arguments::threshold,
     "The following are time regions with an average GPU utilization below {}%.\n",
     "There were no problems detected with GPU utilization. GPU utilization was not\n"
     "found to be below {}%.",
     gpu_time_util, "Times in which a GPU has little to do"},
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

base::Result<stats::Table> run(const Rule& rule, const report::ReportReader& reader,
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

void longest_first(stats::Table& table) {
  std::stable_sort(table.rows.begin(), table.rows.end(), [](const auto& a, const auto& b) {
    return std::get<std::int64_t>(a[0]) > std::get<std::int64_t>(b[0]);
  });
}

}  // namespace prof::analyze
