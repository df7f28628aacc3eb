// Rows of the CUDA tables that are not work on the GPU: synchronizations, events, graph launches,
// memory. cuda_rows.hpp says what ids and sizes mean.
#pragma once

#include "common/report/cuda_rows.hpp"

namespace prof::report {

// The program waited for the GPU, or a stream for another.
struct SyncRow {
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::uint32_t device = 0;
  std::uint32_t context = 0;
  std::uint32_t stream = 0;
  std::uint32_t correlation = 0;
  std::int64_t global_pid = 0;
  std::int32_t type = 0;
  std::uint32_t event = 0;
  std::int64_t event_sync = 0;
};
template <>
struct RowTraits<SyncRow> {
  static constexpr const char* kTable = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION";
  static constexpr auto kColumns =
      columns<SyncRow>(&SyncRow::start, &SyncRow::end, &SyncRow::device, &SyncRow::context,
                       kNullColumn, &SyncRow::stream, &SyncRow::correlation, &SyncRow::global_pid,
                       kNullColumn, &SyncRow::type, &SyncRow::event, &SyncRow::event_sync);
};

// A CUDA event was recorded into a stream.
struct CudaEventRow {
  std::uint32_t device = 0;
  std::uint32_t context = 0;
  std::uint32_t green_context = 0;
  std::uint32_t stream = 0;
  std::uint32_t correlation = 0;
  std::int64_t global_pid = 0;
  std::uint32_t event = 0;
  std::int64_t event_sync = 0;
};
template <>
struct RowTraits<CudaEventRow> {
  static constexpr const char* kTable = "CUPTI_ACTIVITY_KIND_CUDA_EVENT";
  static constexpr auto kColumns = columns<CudaEventRow>(
      &CudaEventRow::device, &CudaEventRow::context, &CudaEventRow::green_context,
      &CudaEventRow::stream, &CudaEventRow::correlation, &CudaEventRow::global_pid,
      &CudaEventRow::event, &CudaEventRow::event_sync);
};

// One launch of a whole CUDA graph.
struct GraphLaunchRow {
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::uint32_t device = 0;
  std::uint32_t context = 0;
  std::uint32_t green_context = 0;
  std::uint32_t stream = 0;
  std::uint32_t correlation = 0;
  std::int64_t global_pid = 0;
  std::uint32_t graph = 0;
  std::uint32_t graph_exec = 0;
};
template <>
struct RowTraits<GraphLaunchRow> {
  static constexpr const char* kTable = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
  static constexpr auto kColumns = columns<GraphLaunchRow>(
      &GraphLaunchRow::start, &GraphLaunchRow::end, &GraphLaunchRow::device,
      &GraphLaunchRow::context, &GraphLaunchRow::green_context, &GraphLaunchRow::stream,
      &GraphLaunchRow::correlation, &GraphLaunchRow::global_pid, &GraphLaunchRow::graph,
      &GraphLaunchRow::graph_exec);
};

// A call was made on behalf of an id of another user of CUPTI.
struct ExternalIdRow {
  std::uint32_t correlation = 0;
  std::int64_t global_pid = 0;
  std::int32_t client_id = 0;
  std::int32_t kind = 0;
  std::int64_t external_id = 0;
};
template <>
struct RowTraits<ExternalIdRow> {
  static constexpr const char* kTable = "PROF_CUDA_EXTERNAL_IDS";
  static constexpr auto kColumns = columns<ExternalIdRow>(
      &ExternalIdRow::correlation, &ExternalIdRow::global_pid, &ExternalIdRow::client_id,
      &ExternalIdRow::kind, &ExternalIdRow::external_id);
};

// Memory was allocated or freed.
struct MemoryUsageRow {
  std::int64_t start = 0;
  std::int64_t global_pid = 0;
  std::uint32_t device = 0;
  std::uint32_t context = 0;
  std::int64_t address = 0;
  std::int64_t pc = 0;
  std::int64_t bytes = 0;
  std::int32_t memory_kind = 0;
  std::int32_t operation = 0;
  std::string_view name;
  std::uint32_t correlation = 0;
  std::uint32_t stream = 0;
  std::int64_t pool_address = 0;
  std::int64_t pool_release_threshold = 0;
  std::int64_t pool_size = 0;
  std::int64_t pool_used = 0;
  std::int64_t imported_address = 0;
  std::int64_t imported_process = 0;
  std::uint32_t nulls = 0;
};
template <>
struct RowTraits<MemoryUsageRow> {
  static constexpr const char* kTable = "CUDA_GPU_MEMORY_USAGE_EVENTS";
  static constexpr auto kColumns = columns<MemoryUsageRow>(
      &MemoryUsageRow::start, &MemoryUsageRow::global_pid, &MemoryUsageRow::device,
      &MemoryUsageRow::context, &MemoryUsageRow::address, &MemoryUsageRow::pc,
      &MemoryUsageRow::bytes, &MemoryUsageRow::memory_kind, &MemoryUsageRow::operation,
      &MemoryUsageRow::name, &MemoryUsageRow::correlation, &MemoryUsageRow::stream,
      &MemoryUsageRow::pool_address, &MemoryUsageRow::pool_release_threshold,
      &MemoryUsageRow::pool_size, &MemoryUsageRow::pool_used, &MemoryUsageRow::imported_address,
      &MemoryUsageRow::imported_process);
};

}  // namespace prof::report
