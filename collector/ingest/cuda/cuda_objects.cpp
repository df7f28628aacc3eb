// The part of CudaBuilder that is not about work on the GPU: memory, pools, streams, devices,
// creation of graphs, CUPTI's overhead, and unified memory.
#include "collector/ingest/cuda/cuda_builder.hpp"
#include "collector/ingest/cuda/cuda_numbers.hpp"
#include "collector/ingest/cuda/gpu_tables.hpp"

namespace prof::ingest {

using report::EventClass;
using report::MemcpyRow;
using report::MemoryUsageRow;
using report::null_bits;

namespace {

// Numbers of ENUM_CUDA_MEMCPY_OPER.
constexpr std::int32_t kUnifiedHostToDevice = 11;
constexpr std::int32_t kUnifiedDeviceToHost = 12;

constexpr std::int32_t kManagedMemory = 4;  // ENUM_CUDA_MEM_KIND

const char* cuda_overhead_name(std::uint32_t kind) {
  switch (kind) {  // CUpti_ActivityOverheadKind
    case 1:
      return "CUPTI Driver compiler";
    case 1 << 16:
      return "CUPTI Buffer flush";
    case 2 << 16:
      return "CUPTI Instrumentation";
    case 3 << 16:
      return "CUPTI Resource Management";
    case 4 << 16:
      return "CUPTI Runtime triggered module loading";
    case 5 << 16:
      return "CUPTI Lazy function loading";
    case 6 << 16:
      return "CUPTI Command buffer full";
    case 7 << 16:
      return "CUPTI Activity buffer request";
    case 8 << 16:
      return "CUPTI Unified memory initialization";
    default:
      return "Unknown";
  }
}

}  // namespace

void CudaBuilder::memory(const wire::CudaMemoryRecord& record) {
  constexpr std::uint16_t kImported = 2;
  MemoryUsageRow row;
  row.start = gpu_time(record.time);
  if (!is_plausible(row.start, row.start)) return;
  row.global_pid = global_pid_;
  row.device = record.device;
  row.context = record.context;
  row.address = static_cast<std::int64_t>(record.address);
  row.pc = static_cast<std::int64_t>(record.pc);
  row.bytes = static_cast<std::int64_t>(record.bytes);
  row.memory_kind = memory_kind(record.memory_kind);
  row.operation = record.header.flags - 1;  // 0 means invalid in CUPTI
  if (record.name != 0)
    row.name = strings_.text(record.name);
  else
    row.nulls |= null_bits<MemoryUsageRow>(&MemoryUsageRow::name);
  row.correlation = record.header.aux;
  row.stream = record.stream;
  if (record.stream == wire::kNoCudaId)
    row.nulls |= null_bits<MemoryUsageRow>(&MemoryUsageRow::stream);
  row.pool_address = row.imported_address = static_cast<std::int64_t>(record.pool_address);
  row.pool_release_threshold = static_cast<std::int64_t>(record.pool_release_threshold);
  row.pool_size = row.imported_process = static_cast<std::int64_t>(record.pool_size);
  row.pool_used = static_cast<std::int64_t>(record.pool_used);
  if (record.pool_type != kImported)
    row.nulls |= null_bits<MemoryUsageRow>(&MemoryUsageRow::imported_address,
                                           &MemoryUsageRow::imported_process);
  if (record.pool_type == 0 || record.pool_type == kImported)
    row.nulls |= null_bits<MemoryUsageRow>(
        &MemoryUsageRow::pool_address, &MemoryUsageRow::pool_size,
        &MemoryUsageRow::pool_release_threshold, &MemoryUsageRow::pool_used);
  ++stats_.others;
  writer_.add(row);
}

void CudaBuilder::pool(const wire::CudaPoolRecord& record) {
  constexpr std::uint8_t kTrimmed = 3;
  using report::Value;
  const auto integer = [](std::uint64_t value) { return Value(static_cast<std::int64_t>(value)); };
  const std::int64_t time = gpu_time(record.time);
  if (!is_plausible(time, time)) return;
  writer_.add("CUDA_GPU_MEMORY_POOL_EVENTS",
              {time, global_pid_, integer(record.device), integer(record.address),
               integer(record.header.flags), integer(record.pool_type), integer(record.header.aux),
               record.header.flags == kTrimmed ? integer(record.min_bytes_to_keep) : Value(nullptr),
               integer(record.release_threshold), integer(record.size), integer(record.used)});
  ++stats_.others;
}

// CUPTI reports a stream when the program creates it, and again when activities are enabled.
void CudaBuilder::stream(const wire::CudaStreamRecord& record) {
  bool& written = streams_[{serial_, (std::uint64_t{record.context} << 32) | record.header.aux}];
  if (written) return;
  written = true;
  const ProcessImage* image = processes_.find(serial_);
  write_cuda_stream(writer_, image == nullptr ? 0 : image->pid, record);
}

void CudaBuilder::device(const wire::CudaDeviceRecord& record) {
  devices_.insert_or_assign({serial_, record.header.aux}, record);
}

void CudaBuilder::graph_event(const wire::CudaGraphEventRecord& record) {
  using report::Value;
  const std::int64_t time = clock_.to_ns(record.time);
  const auto id = [](std::uint64_t value) {
    return value == 0 ? Value(nullptr) : Value(static_cast<std::int64_t>(value));
  };
  const auto graph = [&](EventClass event_class, std::string_view name) {
    writer_.add("CUDA_GRAPH_EVENTS",
                {time, time, static_cast<std::int64_t>(event_class), global_tid_,
                 static_cast<std::int64_t>(writer_.string_id(name)), id(record.id),
                 id(record.original), id(record.exec)});
  };
  const auto node = [&] {  // nsys shows a clone as the creation of a node that has an original
    writer_.add("CUDA_GRAPH_NODE_EVENTS",
                {time, time, static_cast<std::int64_t>(EventClass::kGraphNodeCreation), global_tid_,
                 static_cast<std::int64_t>(writer_.string_id("Graph Node Creation")),
                 static_cast<std::int64_t>(record.id), id(record.original)});
  };
  switch (static_cast<wire::CudaGraphEvent>(record.header.aux)) {
    case wire::CudaGraphEvent::kGraphCreated:
      return graph(EventClass::kGraphCreation, "Graph Creation");
    case wire::CudaGraphEvent::kGraphCloned:
      return graph(EventClass::kGraphClone, "Graph Clone");
    case wire::CudaGraphEvent::kExecCreated:
      return graph(EventClass::kGraphExecCreation, "GraphExec Creation");
    case wire::CudaGraphEvent::kNodeCreated:
    case wire::CudaGraphEvent::kNodeCloned:
      return node();
    case wire::CudaGraphEvent::kCount:
      return;
  }
}

void CudaBuilder::overhead(const wire::CudaOverheadRecord& record) {
  const std::int64_t start = gpu_time(record.start);
  const std::int64_t end = gpu_time(record.end);
  if (!is_plausible(start, end)) return;
  writer_.add(report::OverheadRow{
      start, end, record.tid == 0 ? global_tid_ : processes_.global_tid_of(serial_, record.tid),
      writer_.string_id(cuda_overhead_name(record.header.aux))});
}

void CudaBuilder::external_id(const wire::CudaExternalIdRecord& record) {
  writer_.add(report::ExternalIdRow{.global_pid = global_pid_,
                                    .external_id = static_cast<std::int64_t>(record.id),
                                    .correlation = record.header.aux,
                                    .client_id = writer_.string_id(strings_.text(record.client)),
                                    .kind = record.header.flags});
}

void CudaBuilder::migration(const wire::CudaUnifiedMemoryRecord& record, std::int32_t copy_kind) {
  MemcpyRow row;
  row.start = gpu_time(record.start);
  row.end = gpu_time(record.end);
  if (!is_plausible(row.start, row.end)) return;
  row.device = copy_kind == kUnifiedHostToDevice ? record.target : record.source;
  row.context = 1;
  row.stream = record.stream;
  row.global_pid = global_pid_;
  row.bytes = static_cast<std::int64_t>(record.value);
  row.copy_kind = copy_kind;
  row.source_kind = row.target_kind = kManagedMemory;
  row.migration_cause = static_cast<std::int32_t>(record.flags);
  row.virtual_address = static_cast<std::int64_t>(record.address);
  row.nulls =
      null_bits<MemcpyRow>(&MemcpyRow::correlation, &MemcpyRow::source_device,
                           &MemcpyRow::source_context, &MemcpyRow::target_device,
                           &MemcpyRow::target_context, &MemcpyRow::graph_node, &MemcpyRow::count);
  ++stats_.operations;
  writer_.add(row);
}

void CudaBuilder::unified_memory(const wire::CudaUnifiedMemoryRecord& record) {
  const std::int64_t start = gpu_time(record.start);
  const auto address = static_cast<std::int64_t>(record.address);
  switch (record.header.aux) {  // CUpti_ActivityUnifiedMemoryCounterKind
    case 1:
      return migration(record, kUnifiedHostToDevice);
    case 2:
      return migration(record, kUnifiedDeviceToHost);
    default:  // some other overheads have no end
      if (!is_plausible(start, start)) return;
  }
  switch (record.header.aux) {
    case 3:  // a CPU page fault; the value is the address of the instruction
      return writer_.add("CUDA_UM_CPU_PAGE_FAULT_EVENTS",
                         {start, global_pid_, address, static_cast<std::int64_t>(record.value),
                          std::int64_t{0}, std::int64_t{0}, nullptr});
    case 4:  // a group of GPU page faults
      return writer_.add(
          "CUDA_UM_GPU_PAGE_FAULT_EVENTS",
          {start, gpu_time(record.end), global_pid_, static_cast<std::int64_t>(record.source),
           address, static_cast<std::int64_t>(record.value),
           static_cast<std::int64_t>(record.flags)});
    default:
      return;  // nsys has no table for thrashing, throttling and remote maps
  }
}

}  // namespace prof::ingest
