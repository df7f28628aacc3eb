#include "collector/ingest/cuda_builder.hpp"

#include <algorithm>

#include "collector/ingest/gpu_tables.hpp"
#include "collector/symbols/demangle.hpp"

namespace prof::ingest {

using report::null_bit;
using report::RowTraits;

namespace {

// ENUM_NSYS_EVENT_CLASS
constexpr std::int32_t kRuntimeClass = 0;
constexpr std::int32_t kDriverClass = 1;
constexpr std::int64_t kNodeCreationClass = 77;
constexpr std::int64_t kExecCreationClass = 94;
constexpr std::int64_t kGraphCreationClass = 95;
constexpr std::int64_t kGraphCloneClass = 96;

// ENUM_CUDA_MEMCPY_OPER
constexpr std::int32_t kUnifiedHostToDevice = 11;
constexpr std::int32_t kUnifiedDeviceToHost = 12;

// ENUM_CUDA_MEM_KIND counts from 0 and has the unknown last; CUpti_ActivityMemoryKind has it first.
std::int32_t memory_kind(std::uint32_t cupti) {
  constexpr std::int32_t kUnknown = 7;
  return cupti == 0 || cupti > 7 ? kUnknown : static_cast<std::int32_t>(cupti) - 1;
}

constexpr std::int32_t kManagedMemory = 4;

const char* overhead_name(std::uint32_t kind) {
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

void CudaBuilder::define(std::uint32_t serial, const wire::CudaContextRecord& record) {
  contexts_.insert_or_assign({serial, record.header.aux}, record);
}

void CudaBuilder::define(std::uint32_t serial, const wire::CudaGraphEventRecord& record) {
  if (record.header.aux == static_cast<std::uint32_t>(wire::CudaGraphEvent::kExecCreated))
    graph_of_exec_.insert_or_assign({serial, record.exec}, record.id);
}

void CudaBuilder::begin_thread(std::uint32_t serial, std::uint32_t tid) {
  serial_ = serial;
  global_tid_ = processes_.global_tid_of(serial, tid);
  global_pid_ = processes_.global_pid_of(serial);
}

std::int64_t CudaBuilder::gpu_time(std::uint64_t raw) { return clock_.from_monotonic(raw); }

// A GPU clock that was not translated is off by decades. What has no end yet (the process died
// while it ran) is no operation with a duration.
bool CudaBuilder::is_plausible(std::int64_t start, std::int64_t end) {
  constexpr std::int64_t kSlack = 60'000'000'000;
  const bool ok = end >= start && start > -kSlack && end < clock_.end() + kSlack;
  if (ok)
    last_time_ = std::max(last_time_, end);
  else
    ++stats_.impossible;
  return ok;
}

CudaBuilder::Place CudaBuilder::place(std::uint32_t context, std::uint32_t device) const {
  const auto found = contexts_.find({serial_, context});
  if (found == contexts_.end()) return {device == wire::kNoCudaId ? 0 : device, context, 0};
  const wire::CudaContextRecord& known = found->second;
  const bool green = known.header.flags != 0;
  return {device == wire::kNoCudaId ? known.device : device, green ? known.parent : context,
          green ? context : 0};
}

template <class Row, class Record>
void CudaBuilder::locate(Row& row, const Record& record) {
  const Place at = place(record.context, record.device);
  row.device = at.device;
  row.context = at.context;
  row.green_context = at.green_context;
  row.stream = record.stream;
  row.correlation = record.header.aux;
  row.global_pid = global_pid_;
}

const CudaBuilder::KernelNames& CudaBuilder::names_of(std::uint64_t hash) {
  const auto found = kernel_names_.find(hash);
  if (found != kernel_names_.end()) return found->second;
  const std::string_view mangled = strings_.text(hash);
  const symbols::KernelName name = symbols::demangle_kernel(mangled);
  return kernel_names_
      .emplace(hash, KernelNames{writer_.string_id(name.demangled), writer_.string_id(name.brief),
                                 writer_.string_id(mangled)})
      .first->second;
}

void CudaBuilder::call(const wire::CudaCallRecord& record, std::int32_t name_id) {
  report::RuntimeRow row;
  row.start = clock_.to_ns(record.start);
  row.end = clock_.to_ns(record.end);
  row.event_class =
      record.function < wire::kCudaDriverFunctions ? kRuntimeClass : kDriverClass;
  row.global_tid = global_tid_;
  row.correlation = record.header.aux;
  row.name_id = name_id;
  row.result = record.result;
  last_time_ = std::max(last_time_, row.end);
  ++stats_.calls;
  writer_.add(row);
}

void CudaBuilder::kernel(const wire::CudaKernelRecord& record) {
  using T = RowTraits<report::KernelRow>;
  report::KernelRow row;
  row.start = gpu_time(record.start);
  row.end = gpu_time(record.end);
  if (!is_plausible(row.start, row.end)) return;
  locate(row, record);
  const KernelNames& names = names_of(record.name);
  row.demangled_name = names.demangled;
  row.short_name = names.brief;
  row.mangled_name = names.mangled;
  row.launch_type = record.header.flags + 1;  // nsys's 0 is "unknown"
  row.cache_config = record.cache_config;
  row.registers = record.registers;
  row.grid_x = record.grid[0];
  row.grid_y = record.grid[1];
  row.grid_z = record.grid[2];
  row.block_x = record.block[0];
  row.block_y = record.block[1];
  row.block_z = record.block[2];
  row.static_shared = record.static_shared;
  row.dynamic_shared = record.dynamic_shared;
  row.local_per_thread = record.local_memory_per_thread;
  row.local_total = static_cast<std::int64_t>(record.local_memory_total);
  row.grid_id = record.grid_id;
  row.shared_executed = record.shared_executed;
  row.shared_limit_config = record.shared_limit_config;
  row.graph_node = static_cast<std::int64_t>(record.graph_node);
  row.graph = record.graph;
  if (record.graph_node == 0) row.nulls |= null_bit(T::kGraphNodeId) | null_bit(T::kGraphId);
  row.cluster_x = record.cluster[0];
  row.cluster_y = record.cluster[1];
  row.cluster_z = record.cluster[2];
  ++stats_.operations;
  writer_.add(row);
}

void CudaBuilder::memcpy(const wire::CudaMemcpyRecord& record) {
  using T = RowTraits<report::MemcpyRow>;
  report::MemcpyRow row;
  row.start = gpu_time(record.start);
  row.end = gpu_time(record.end);
  if (!is_plausible(row.start, row.end)) return;
  locate(row, record);
  row.bytes = static_cast<std::int64_t>(record.bytes);
  row.copy_kind = record.header.flags;
  row.source_kind = memory_kind(record.source_kind);
  row.target_kind = memory_kind(record.target_kind);
  row.source_device = record.source_device;
  row.source_context = record.source_context;
  row.target_device = record.target_device;
  row.target_context = record.target_context;
  row.graph_node = static_cast<std::int64_t>(record.graph_node);
  row.count = static_cast<std::int64_t>(record.count);
  row.nulls = null_bit(T::kMigrationCause) | null_bit(T::kVirtualAddress);
  if (record.source_device == wire::kNoCudaId)
    row.nulls |= null_bit(T::kSrcDeviceId) | null_bit(T::kSrcContextId) |
                 null_bit(T::kDstDeviceId) | null_bit(T::kDstContextId);
  if (record.graph_node == 0) row.nulls |= null_bit(T::kGraphNodeId);
  ++stats_.operations;
  writer_.add(row);
}

void CudaBuilder::memset(const wire::CudaMemsetRecord& record) {
  report::MemsetRow row;
  row.start = gpu_time(record.start);
  row.end = gpu_time(record.end);
  if (!is_plausible(row.start, row.end)) return;
  locate(row, record);
  row.value = record.value;
  row.bytes = static_cast<std::int64_t>(record.bytes);
  row.graph_node = static_cast<std::int64_t>(record.graph_node);
  row.memory_kind = memory_kind(record.memory_kind);
  if (record.graph_node == 0) row.nulls = null_bit(RowTraits<report::MemsetRow>::kGraphNodeId);
  ++stats_.operations;
  writer_.add(row);
}

void CudaBuilder::sync(const wire::CudaSyncRecord& record) {
  report::SyncRow row;
  row.start = gpu_time(record.start);
  row.end = gpu_time(record.end);
  if (!is_plausible(row.start, row.end)) return;
  const Place at = place(record.context, wire::kNoCudaId);
  row.device = at.device;
  row.context = at.context;
  row.stream = record.stream;
  row.correlation = record.header.aux;
  row.global_pid = global_pid_;
  row.type = record.header.flags;  // CUPTI's numbers, as the ENUM table has them
  row.event = record.event;
  row.event_sync = static_cast<std::int64_t>(record.event_sync & 0xffffffff);
  ++stats_.others;
  writer_.add(row);
}

void CudaBuilder::event(const wire::CudaEventRecord& record) {
  report::CudaEventRow row;
  locate(row, record);
  row.event = record.event;
  row.event_sync = static_cast<std::int64_t>(record.event_sync & 0xffffffff);
  ++stats_.others;
  writer_.add(row);
}

void CudaBuilder::graph_launch(const wire::CudaGraphLaunchRecord& record) {
  report::GraphLaunchRow row;
  row.start = gpu_time(record.start);
  row.end = gpu_time(record.end);
  if (!is_plausible(row.start, row.end)) return;
  locate(row, record);
  row.graph_exec = record.graph;
  const auto graph = graph_of_exec_.find({serial_, record.graph});
  row.graph = graph == graph_of_exec_.end() ? record.graph
                                            : static_cast<std::uint32_t>(graph->second);
  ++stats_.operations;
  writer_.add(row);
}

void CudaBuilder::memory(const wire::CudaMemoryRecord& record) {
  using T = RowTraits<report::MemoryUsageRow>;
  constexpr std::uint16_t kImported = 2;
  report::MemoryUsageRow row;
  row.start = gpu_time(record.time);
  if (!is_plausible(row.start, row.start)) return;
  row.global_pid = global_pid_;
  row.device = record.device;
  row.context = record.context;
  row.address = static_cast<std::int64_t>(record.address);
  row.pc = static_cast<std::int64_t>(record.pc);
  row.bytes = static_cast<std::int64_t>(record.bytes);
  row.memory_kind = memory_kind(record.memory_kind);
  row.operation = record.header.flags - 1;  // CUPTI's 0 is "invalid"
  if (record.name != 0)
    row.name = strings_.text(record.name);
  else
    row.nulls |= null_bit(T::kName);
  row.correlation = record.header.aux;
  row.stream = record.stream;
  if (record.stream == wire::kNoCudaId) row.nulls |= null_bit(T::kStreamId);
  row.pool_address = row.imported_address = static_cast<std::int64_t>(record.pool_address);
  row.pool_release_threshold = static_cast<std::int64_t>(record.pool_release_threshold);
  row.pool_size = row.imported_process = static_cast<std::int64_t>(record.pool_size);
  row.pool_used = static_cast<std::int64_t>(record.pool_used);
  if (record.pool_type != kImported)
    row.nulls |= null_bit(T::kImportedMemoryPoolAddress) |
                 null_bit(T::kImportedMemoryPoolProcessId);
  if (record.pool_type == 0 || record.pool_type == kImported)
    row.nulls |= null_bit(T::kLocalMemoryPoolAddress) | null_bit(T::kLocalMemoryPoolSize) |
                 null_bit(T::kLocalMemoryPoolReleaseThreshold) |
                 null_bit(T::kLocalMemoryPoolUtilizedSize);
  ++stats_.others;
  writer_.add(row);
}

void CudaBuilder::pool(const wire::CudaPoolRecord& record) {
  constexpr std::uint8_t kTrimmed = 3;
  using report::Value;
  const auto integer = [](std::uint64_t value) {
    return Value(static_cast<std::int64_t>(value));
  };
  const std::int64_t time = gpu_time(record.time);
  if (!is_plausible(time, time)) return;
  writer_.add("CUDA_GPU_MEMORY_POOL_EVENTS",
              {time, global_pid_, integer(record.device), integer(record.address),
               integer(record.header.flags), integer(record.pool_type), integer(record.header.aux),
               record.header.flags == kTrimmed ? integer(record.min_bytes_to_keep)
                                               : Value(nullptr),
               integer(record.release_threshold), integer(record.size), integer(record.used)});
  ++stats_.others;
}

// CUPTI tells of a stream when it is made, and again when activities are enabled.
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
  const auto graph = [&](std::int64_t event_class, std::string_view name) {
    writer_.add("CUDA_GRAPH_EVENTS",
                {time, time, event_class, global_tid_,
                 static_cast<std::int64_t>(writer_.string_id(name)), id(record.id),
                 id(record.original), id(record.exec)});
  };
  const auto node = [&](std::string_view name) {
    writer_.add("CUDA_GRAPH_NODE_EVENTS",
                {time, time, kNodeCreationClass, global_tid_,
                 static_cast<std::int64_t>(writer_.string_id(name)),
                 static_cast<std::int64_t>(record.id), id(record.original)});
  };
  switch (static_cast<wire::CudaGraphEvent>(record.header.aux)) {
    case wire::CudaGraphEvent::kGraphCreated:
      return graph(kGraphCreationClass, "Graph Creation");
    case wire::CudaGraphEvent::kGraphCloned:
      return graph(kGraphCloneClass, "Graph Clone");
    case wire::CudaGraphEvent::kExecCreated:
      return graph(kExecCreationClass, "GraphExec Creation");
    case wire::CudaGraphEvent::kNodeCreated:
      return node("Graph Node Creation");
    case wire::CudaGraphEvent::kNodeCloned:
      return node("Graph Node Cloning");
    case wire::CudaGraphEvent::kCount:
      return;
  }
}

void CudaBuilder::overhead(const wire::CudaOverheadRecord& record) {
  const std::int64_t start = gpu_time(record.start);
  const std::int64_t end = gpu_time(record.end);
  if (!is_plausible(start, end)) return;
  writer_.add(report::OverheadRow{
      start, end,
      record.tid == 0 ? global_tid_ : processes_.global_tid_of(serial_, record.tid),
      writer_.string_id(overhead_name(record.header.aux))});
}

void CudaBuilder::migration(const wire::CudaUnifiedMemoryRecord& record, std::int32_t copy_kind) {
  using T = RowTraits<report::MemcpyRow>;
  report::MemcpyRow row;
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
  row.nulls = null_bit(T::kCorrelationId) | null_bit(T::kSrcDeviceId) |
              null_bit(T::kSrcContextId) | null_bit(T::kDstDeviceId) | null_bit(T::kDstContextId) |
              null_bit(T::kGraphNodeId) | null_bit(T::kCopyCount);
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
    case 3:  // CPU page fault; the instruction that faulted is not known
      return writer_.add("CUDA_UM_CPU_PAGE_FAULT_EVENTS",
                         {start, global_pid_, address, nullptr, std::int64_t{0}, std::int64_t{0},
                          nullptr});
    case 4:  // a group of GPU page faults
      return writer_.add(
          "CUDA_UM_GPU_PAGE_FAULT_EVENTS",
          {start, gpu_time(record.end), global_pid_, static_cast<std::int64_t>(record.source),
           address, static_cast<std::int64_t>(record.value),
           static_cast<std::int64_t>(record.flags)});
    default:
      return;  // thrashing, throttling and remote maps have no table
  }
}

void CudaBuilder::finish() {
  for (const auto& [key, context] : contexts_) {
    const ProcessImage* image = processes_.find(key.first);
    write_cuda_context(writer_, image == nullptr ? 0 : image->pid, context);
  }
  GpuTable gpus(writer_, strings_);
  for (const auto& [key, device] : devices_) {
    const ProcessImage* image = processes_.find(key.first);
    gpus.add(image == nullptr ? 0 : image->pid, device);
  }
}

}  // namespace prof::ingest
