// Rows of the CUDA tables that are not work on the GPU: synchronizations, events, graph launches,
// memory. Conventions: cuda_rows.hpp.
#pragma once

#include "collector/report/cuda_rows.hpp"

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
  static constexpr bool kNullable = false;
  static constexpr Column kColumns[] = {
      PROF_COLUMN(SyncRow, start),
      PROF_COLUMN(SyncRow, end),
      PROF_COLUMN(SyncRow, device),
      PROF_COLUMN(SyncRow, context),
      {ColumnType::kNull, 0},
      PROF_COLUMN(SyncRow, stream),
      PROF_COLUMN(SyncRow, correlation),
      PROF_COLUMN(SyncRow, global_pid),
      {ColumnType::kNull, 0},
      PROF_COLUMN(SyncRow, type),
      PROF_COLUMN(SyncRow, event),
      PROF_COLUMN(SyncRow, event_sync),
  };
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
  static constexpr bool kNullable = false;
  static constexpr Column kColumns[] = {
      PROF_COLUMN(CudaEventRow, device),        PROF_COLUMN(CudaEventRow, context),
      PROF_COLUMN(CudaEventRow, green_context), PROF_COLUMN(CudaEventRow, stream),
      PROF_COLUMN(CudaEventRow, correlation),   PROF_COLUMN(CudaEventRow, global_pid),
      PROF_COLUMN(CudaEventRow, event),         PROF_COLUMN(CudaEventRow, event_sync),
  };
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
  static constexpr bool kNullable = false;
  static constexpr Column kColumns[] = {
      PROF_COLUMN(GraphLaunchRow, start),         PROF_COLUMN(GraphLaunchRow, end),
      PROF_COLUMN(GraphLaunchRow, device),        PROF_COLUMN(GraphLaunchRow, context),
      PROF_COLUMN(GraphLaunchRow, green_context), PROF_COLUMN(GraphLaunchRow, stream),
      PROF_COLUMN(GraphLaunchRow, correlation),   PROF_COLUMN(GraphLaunchRow, global_pid),
      PROF_COLUMN(GraphLaunchRow, graph),         PROF_COLUMN(GraphLaunchRow, graph_exec),
  };
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
  static constexpr bool kNullable = true;
  enum Index : unsigned {
    kStart,
    kGlobalPid,
    kDeviceId,
    kContextId,
    kAddress,
    kPc,
    kBytes,
    kMemKind,
    kMemoryOperationType,
    kName,
    kCorrelationId,
    kStreamId,
    kLocalMemoryPoolAddress,
    kLocalMemoryPoolReleaseThreshold,
    kLocalMemoryPoolSize,
    kLocalMemoryPoolUtilizedSize,
    kImportedMemoryPoolAddress,
    kImportedMemoryPoolProcessId
  };
  static constexpr Column kColumns[] = {
      PROF_COLUMN(MemoryUsageRow, start),
      PROF_COLUMN(MemoryUsageRow, global_pid),
      PROF_COLUMN(MemoryUsageRow, device),
      PROF_COLUMN(MemoryUsageRow, context),
      PROF_COLUMN(MemoryUsageRow, address),
      PROF_COLUMN(MemoryUsageRow, pc),
      PROF_COLUMN(MemoryUsageRow, bytes),
      PROF_COLUMN(MemoryUsageRow, memory_kind),
      PROF_COLUMN(MemoryUsageRow, operation),
      PROF_COLUMN(MemoryUsageRow, name),
      PROF_COLUMN(MemoryUsageRow, correlation),
      PROF_COLUMN(MemoryUsageRow, stream),
      PROF_COLUMN(MemoryUsageRow, pool_address),
      PROF_COLUMN(MemoryUsageRow, pool_release_threshold),
      PROF_COLUMN(MemoryUsageRow, pool_size),
      PROF_COLUMN(MemoryUsageRow, pool_used),
      PROF_COLUMN(MemoryUsageRow, imported_address),
      PROF_COLUMN(MemoryUsageRow, imported_process),
  };
};

#undef PROF_COLUMN

}  // namespace prof::report
