// Rows of the CUDA tables. Ids of devices, contexts and streams are those of the process; sizes are
// bytes; what docs/schema.md says of NULL goes by `nulls` (rows.hpp).
#pragma once

#include "collector/report/rows.hpp"

namespace prof::report {

template <class T>
constexpr ColumnType column_type() {
  if constexpr (std::is_same_v<T, std::int64_t>)
    return ColumnType::kInt64;
  else if constexpr (std::is_same_v<T, std::int32_t>)
    return ColumnType::kInt32;
  else if constexpr (std::is_same_v<T, std::uint32_t>)
    return ColumnType::kUint32;
  else
    return ColumnType::kText;
}
#define PROF_COLUMN(row, field) \
  { column_type<decltype(row::field)>(), offsetof(row, field) }

// Bit of RowTraits<Row>::kColumns[i].
constexpr std::uint32_t null_bit(unsigned column) { return 1U << column; }

// A call of the CUDA runtime or driver API.
struct RuntimeRow {
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::int32_t event_class = 0;
  std::int64_t global_tid = 0;
  std::uint32_t correlation = 0;
  std::int32_t name_id = 0;
  std::int32_t result = 0;
  std::int64_t callchain = 0;
  std::uint32_t nulls = 0;
};
template <>
struct RowTraits<RuntimeRow> {
  static constexpr const char* kTable = "CUPTI_ACTIVITY_KIND_RUNTIME";
  static constexpr bool kNullable = true;
  enum Index : unsigned { kCallchain = 7 };
  static constexpr Column kColumns[] = {
      PROF_COLUMN(RuntimeRow, start),       PROF_COLUMN(RuntimeRow, end),
      PROF_COLUMN(RuntimeRow, event_class), PROF_COLUMN(RuntimeRow, global_tid),
      PROF_COLUMN(RuntimeRow, correlation), PROF_COLUMN(RuntimeRow, name_id),
      PROF_COLUMN(RuntimeRow, result),      PROF_COLUMN(RuntimeRow, callchain),
  };
};

// A kernel on the GPU.
struct KernelRow {
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::uint32_t device = 0;
  std::uint32_t context = 0;
  std::uint32_t green_context = 0;
  std::uint32_t stream = 0;
  std::uint32_t correlation = 0;
  std::int64_t global_pid = 0;
  std::int32_t demangled_name = 0;
  std::int32_t short_name = 0;
  std::int32_t mangled_name = 0;
  std::int32_t launch_type = 0;
  std::int32_t cache_config = 0;
  std::int32_t registers = 0;
  std::int32_t grid_x = 0;
  std::int32_t grid_y = 0;
  std::int32_t grid_z = 0;
  std::int32_t block_x = 0;
  std::int32_t block_y = 0;
  std::int32_t block_z = 0;
  std::int32_t static_shared = 0;
  std::int32_t dynamic_shared = 0;
  std::uint32_t local_per_thread = 0;
  std::int64_t local_total = 0;
  std::int64_t grid_id = 0;
  std::uint32_t shared_executed = 0;
  std::int64_t graph_node = 0;
  std::int32_t shared_limit_config = 0;
  std::uint32_t graph = 0;
  std::uint32_t cluster_x = 0;
  std::uint32_t cluster_y = 0;
  std::uint32_t cluster_z = 0;
  std::uint32_t nulls = 0;
};
template <>
struct RowTraits<KernelRow> {
  static constexpr const char* kTable = "CUPTI_ACTIVITY_KIND_KERNEL";
  static constexpr bool kNullable = true;
  enum Index : unsigned {
    kStart,
    kEnd,
    kDeviceId,
    kContextId,
    kGreenContextId,
    kStreamId,
    kCorrelationId,
    kGlobalPid,
    kDemangledName,
    kShortName,
    kMangledName,
    kLaunchType,
    kCacheConfig,
    kRegistersPerThread,
    kGridX,
    kGridY,
    kGridZ,
    kBlockX,
    kBlockY,
    kBlockZ,
    kStaticSharedMemory,
    kDynamicSharedMemory,
    kLocalMemoryPerThread,
    kLocalMemoryTotal,
    kGridId,
    kSharedMemoryExecuted,
    kGraphNodeId,
    kSharedMemoryLimitConfig,
    kGraphId,
    kClusterX,
    kClusterY,
    kClusterZ
  };
  static constexpr Column kColumns[] = {
      PROF_COLUMN(KernelRow, start),
      PROF_COLUMN(KernelRow, end),
      PROF_COLUMN(KernelRow, device),
      PROF_COLUMN(KernelRow, context),
      PROF_COLUMN(KernelRow, green_context),
      PROF_COLUMN(KernelRow, stream),
      PROF_COLUMN(KernelRow, correlation),
      PROF_COLUMN(KernelRow, global_pid),
      PROF_COLUMN(KernelRow, demangled_name),
      PROF_COLUMN(KernelRow, short_name),
      PROF_COLUMN(KernelRow, mangled_name),
      PROF_COLUMN(KernelRow, launch_type),
      PROF_COLUMN(KernelRow, cache_config),
      PROF_COLUMN(KernelRow, registers),
      PROF_COLUMN(KernelRow, grid_x),
      PROF_COLUMN(KernelRow, grid_y),
      PROF_COLUMN(KernelRow, grid_z),
      PROF_COLUMN(KernelRow, block_x),
      PROF_COLUMN(KernelRow, block_y),
      PROF_COLUMN(KernelRow, block_z),
      PROF_COLUMN(KernelRow, static_shared),
      PROF_COLUMN(KernelRow, dynamic_shared),
      PROF_COLUMN(KernelRow, local_per_thread),
      PROF_COLUMN(KernelRow, local_total),
      PROF_COLUMN(KernelRow, grid_id),
      PROF_COLUMN(KernelRow, shared_executed),
      PROF_COLUMN(KernelRow, graph_node),
      PROF_COLUMN(KernelRow, shared_limit_config),
      PROF_COLUMN(KernelRow, graph),
      PROF_COLUMN(KernelRow, cluster_x),
      PROF_COLUMN(KernelRow, cluster_y),
      PROF_COLUMN(KernelRow, cluster_z),
  };
};

// A copy, by the GPU or seen by it.
struct MemcpyRow {
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::uint32_t device = 0;
  std::uint32_t context = 0;
  std::uint32_t green_context = 0;
  std::uint32_t stream = 0;
  std::uint32_t correlation = 0;
  std::int64_t global_pid = 0;
  std::int64_t bytes = 0;
  std::int32_t copy_kind = 0;
  std::int32_t source_kind = 0;
  std::int32_t target_kind = 0;
  std::uint32_t source_device = 0;
  std::uint32_t source_context = 0;
  std::uint32_t target_device = 0;
  std::uint32_t target_context = 0;
  std::int32_t migration_cause = 0;
  std::int64_t graph_node = 0;
  std::int64_t virtual_address = 0;
  std::int64_t count = 0;
  std::uint32_t nulls = 0;
};
template <>
struct RowTraits<MemcpyRow> {
  static constexpr const char* kTable = "CUPTI_ACTIVITY_KIND_MEMCPY";
  static constexpr bool kNullable = true;
  enum Index : unsigned {
    kStart,
    kEnd,
    kDeviceId,
    kContextId,
    kGreenContextId,
    kStreamId,
    kCorrelationId,
    kGlobalPid,
    kBytes,
    kCopyKind,
    kDeprecatedSrcId,
    kSrcKind,
    kDstKind,
    kSrcDeviceId,
    kSrcContextId,
    kDstDeviceId,
    kDstContextId,
    kMigrationCause,
    kGraphNodeId,
    kVirtualAddress,
    kCopyCount
  };
  static constexpr Column kColumns[] = {
      PROF_COLUMN(MemcpyRow, start),
      PROF_COLUMN(MemcpyRow, end),
      PROF_COLUMN(MemcpyRow, device),
      PROF_COLUMN(MemcpyRow, context),
      PROF_COLUMN(MemcpyRow, green_context),
      PROF_COLUMN(MemcpyRow, stream),
      PROF_COLUMN(MemcpyRow, correlation),
      PROF_COLUMN(MemcpyRow, global_pid),
      PROF_COLUMN(MemcpyRow, bytes),
      PROF_COLUMN(MemcpyRow, copy_kind),
      {ColumnType::kNull, 0},
      PROF_COLUMN(MemcpyRow, source_kind),
      PROF_COLUMN(MemcpyRow, target_kind),
      PROF_COLUMN(MemcpyRow, source_device),
      PROF_COLUMN(MemcpyRow, source_context),
      PROF_COLUMN(MemcpyRow, target_device),
      PROF_COLUMN(MemcpyRow, target_context),
      PROF_COLUMN(MemcpyRow, migration_cause),
      PROF_COLUMN(MemcpyRow, graph_node),
      PROF_COLUMN(MemcpyRow, virtual_address),
      PROF_COLUMN(MemcpyRow, count),
  };
};

// Memory set by the GPU.
struct MemsetRow {
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::uint32_t device = 0;
  std::uint32_t context = 0;
  std::uint32_t green_context = 0;
  std::uint32_t stream = 0;
  std::uint32_t correlation = 0;
  std::int64_t global_pid = 0;
  std::uint32_t value = 0;
  std::int64_t bytes = 0;
  std::int64_t graph_node = 0;
  std::int32_t memory_kind = 0;
  std::uint32_t nulls = 0;
};
template <>
struct RowTraits<MemsetRow> {
  static constexpr const char* kTable = "CUPTI_ACTIVITY_KIND_MEMSET";
  static constexpr bool kNullable = true;
  enum Index : unsigned {
    kStart,
    kEnd,
    kDeviceId,
    kContextId,
    kGreenContextId,
    kStreamId,
    kCorrelationId,
    kGlobalPid,
    kValue,
    kBytes,
    kGraphNodeId,
    kMemKind
  };
  static constexpr Column kColumns[] = {
      PROF_COLUMN(MemsetRow, start),         PROF_COLUMN(MemsetRow, end),
      PROF_COLUMN(MemsetRow, device),        PROF_COLUMN(MemsetRow, context),
      PROF_COLUMN(MemsetRow, green_context), PROF_COLUMN(MemsetRow, stream),
      PROF_COLUMN(MemsetRow, correlation),   PROF_COLUMN(MemsetRow, global_pid),
      PROF_COLUMN(MemsetRow, value),         PROF_COLUMN(MemsetRow, bytes),
      PROF_COLUMN(MemsetRow, graph_node),    PROF_COLUMN(MemsetRow, memory_kind),
  };
};

}  // namespace prof::report
