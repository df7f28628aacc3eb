// Rows of the tables of CUDA API calls and of work on the GPU. Ids of devices, contexts and streams
// are those of the process; sizes are in bytes. docs/schema.md says which columns can be NULL.
#pragma once

#include "common/report/rows.hpp"

namespace prof::report {

// A call of the CUDA runtime or driver API.
struct RuntimeRow {
  std::int64_t start = 0;
  std::int64_t end = 0;
  EventClass event_class = EventClass::kCudaRuntime;
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
  static constexpr auto kColumns = columns<RuntimeRow>(
      &RuntimeRow::start, &RuntimeRow::end, &RuntimeRow::event_class, &RuntimeRow::global_tid,
      &RuntimeRow::correlation, &RuntimeRow::name_id, &RuntimeRow::result, &RuntimeRow::callchain);
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
  static constexpr auto kColumns = columns<KernelRow>(
      &KernelRow::start, &KernelRow::end, &KernelRow::device, &KernelRow::context,
      &KernelRow::green_context, &KernelRow::stream, &KernelRow::correlation,
      &KernelRow::global_pid, &KernelRow::demangled_name, &KernelRow::short_name,
      &KernelRow::mangled_name, &KernelRow::launch_type, &KernelRow::cache_config,
      &KernelRow::registers, &KernelRow::grid_x, &KernelRow::grid_y, &KernelRow::grid_z,
      &KernelRow::block_x, &KernelRow::block_y, &KernelRow::block_z, &KernelRow::static_shared,
      &KernelRow::dynamic_shared, &KernelRow::local_per_thread, &KernelRow::local_total,
      &KernelRow::grid_id, &KernelRow::shared_executed, &KernelRow::graph_node,
      &KernelRow::shared_limit_config, &KernelRow::graph, &KernelRow::cluster_x,
      &KernelRow::cluster_y, &KernelRow::cluster_z);
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
  static constexpr auto kColumns = columns<MemcpyRow>(
      &MemcpyRow::start, &MemcpyRow::end, &MemcpyRow::device, &MemcpyRow::context,
      &MemcpyRow::green_context, &MemcpyRow::stream, &MemcpyRow::correlation,
      &MemcpyRow::global_pid, &MemcpyRow::bytes, &MemcpyRow::copy_kind, kNullColumn,
      &MemcpyRow::source_kind, &MemcpyRow::target_kind, &MemcpyRow::source_device,
      &MemcpyRow::source_context, &MemcpyRow::target_device, &MemcpyRow::target_context,
      &MemcpyRow::migration_cause, &MemcpyRow::graph_node, &MemcpyRow::virtual_address,
      &MemcpyRow::count);
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
  static constexpr auto kColumns =
      columns<MemsetRow>(&MemsetRow::start, &MemsetRow::end, &MemsetRow::device,
                         &MemsetRow::context, &MemsetRow::green_context, &MemsetRow::stream,
                         &MemsetRow::correlation, &MemsetRow::global_pid, &MemsetRow::value,
                         &MemsetRow::bytes, &MemsetRow::graph_node, &MemsetRow::memory_kind);
};

}  // namespace prof::report
