#include "collector/ingest/cuda/cuda_builder.hpp"

#include <algorithm>
#include <variant>

#include "collector/ingest/cuda/cuda_numbers.hpp"
#include "collector/ingest/cuda/gpu_tables.hpp"
#include "common/code/demangle/demangle.hpp"

namespace prof::ingest {

using report::EventClass;
using report::KernelRow;
using report::MemcpyRow;
using report::MemoryUsageRow;
using report::MemsetRow;
using report::null_bits;
using report::RuntimeRow;

namespace {

// Numbers of ENUM_CUDA_MEMCPY_OPER.
constexpr std::int32_t kUnifiedHostToDevice = 11;
constexpr std::int32_t kUnifiedDeviceToHost = 12;

constexpr std::int32_t kManagedMemory = 4;  // ENUM_CUDA_MEM_KIND

EventClass class_of(std::uint32_t function) {
  return function < wire::kCudaDriverFunctions ? EventClass::kCudaRuntime : EventClass::kCudaDriver;
}

}  // namespace

void CudaBuilder::define(std::uint32_t serial, const wire::CudaContextRecord& record) {
  contexts_.insert_or_assign({serial, record.header.aux}, record);
}

void CudaBuilder::define(std::uint32_t serial, const wire::CudaGraphEventRecord& record) {
  graphs_.define(serial, record);
  bodies_.define(serial, record);
}

void CudaBuilder::define(std::uint32_t serial, const wire::CudaEventRecord& record) {
  events_.add(serial, record);
}

void CudaBuilder::define(std::uint32_t serial, const wire::CudaSyncRecord& record) {
  events_.add(serial, record);
}

void CudaBuilder::define(std::uint32_t serial, const wire::CudaStreamRecord& record) {
  contexts_of_stream_[{serial, record.header.aux}].insert(record.context);
}

void CudaBuilder::begin_thread(std::uint32_t serial, std::uint32_t tid) {
  serial_ = serial;
  global_tid_ = processes_.global_tid_of(serial, tid);
  global_pid_ = processes_.global_pid_of(serial);
  graphs_.begin_thread(serial, global_tid_);
}

std::int64_t CudaBuilder::gpu_time(std::uint64_t raw) { return clock_.from_monotonic(raw); }

// Rejects times of a GPU clock that CUPTI did not translate (they are off by decades), and work
// without an end (the process died while it ran).
bool CudaBuilder::is_plausible(std::int64_t start, std::int64_t end) {
  constexpr std::int64_t kSlack = 60'000'000'000;
  const bool ok = end >= start && start > -kSlack && end - kSlack < clock_.end();
  if (ok)
    last_time_ = std::max(last_time_, end);
  else
    ++stats_.impossible;
  return ok;
}

CudaBuilder::DeviceIds CudaBuilder::place(std::uint32_t context, std::uint32_t device) const {
  const auto found = contexts_.find({serial_, context});
  if (found == contexts_.end()) return {device == wire::kNoCudaId ? 0 : device, context, 0};
  const wire::CudaContextRecord& known = found->second;
  const bool green = known.header.flags != 0;
  return {device == wire::kNoCudaId ? known.device : device, green ? known.parent : context,
          green ? context : 0};
}

// A thread may use a stream of another context than its current one.
std::uint32_t CudaBuilder::context_of_stream(std::uint32_t stream, std::uint32_t current) const {
  const auto known = contexts_of_stream_.find({serial_, stream});
  if (known == contexts_of_stream_.end() || known->second.contains(current)) return current;
  return *known->second.begin();
}

template <class Row, class Record>
void CudaBuilder::locate(Row& row, const Record& record, std::uint32_t device) {
  const DeviceIds at = place(record.context, device);
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
  const demangle::KernelName name = demangle::demangle_kernel(mangled);
  return kernel_names_
      .emplace(hash, KernelNames{writer_.string_id(name.demangled), writer_.string_id(name.brief),
                                 writer_.string_id(mangled)})
      .first->second;
}

void CudaBuilder::define_call(std::uint32_t serial, std::uint32_t function,
                              std::uint32_t correlation) {
  if (class_of(function) == EventClass::kCudaRuntime) runtime_calls_.add(serial, correlation);
}

bool CudaBuilder::is_inside_runtime_call(std::uint32_t function, std::uint32_t correlation) const {
  return class_of(function) == EventClass::kCudaDriver && runtime_calls_.has(serial_, correlation);
}

void CudaBuilder::call(const wire::CudaCallRecord& record, std::int32_t name_id,
                       std::int64_t callchain) {
  if (is_inside_runtime_call(record.function, record.header.aux)) return;
  RuntimeRow row;
  row.start = clock_.to_ns(record.start);
  row.end = clock_.to_ns(record.end);
  row.event_class = class_of(record.function);
  row.global_tid = global_tid_;
  row.correlation = record.header.aux;
  row.name_id = name_id;
  row.result = record.result;
  row.callchain = callchain;
  if (callchain == 0) row.nulls = null_bits<RuntimeRow>(&RuntimeRow::callchain);
  last_time_ = std::max(last_time_, row.end);
  ++stats_.calls;
  writer_.add(row);
}

void CudaBuilder::call(const wire::CudaRecordedCallRecord& record, std::int32_t name_id) {
  if (is_inside_runtime_call(record.function, record.header.aux)) return;
  RuntimeRow row;
  row.start = gpu_time(record.start);
  row.end = gpu_time(record.end);
  if (!is_plausible(row.start, row.end)) return;
  row.event_class = class_of(record.function);
  row.global_tid = processes_.global_tid_of(serial_, record.tid);
  row.correlation = record.header.aux;
  row.name_id = name_id;
  row.result = record.result;
  row.nulls = null_bits<RuntimeRow>(&RuntimeRow::callchain);
  ++stats_.calls;
  writer_.add(row);
}

template <class Record>
void CudaBuilder::write_or_keep(const Record& record) {
  if (!bodies_.keep(serial_, record)) return write(record);
  if (bodies_.is_full()) write_bodies();
}

void CudaBuilder::write_bodies() {
  const std::uint32_t serial = serial_;
  const std::int64_t global_pid = global_pid_;
  for (const GraphBodies::Work& work : bodies_.take()) {
    serial_ = work.serial;
    global_pid_ = processes_.global_pid_of(serial_);
    std::visit([&](const auto& record) { write(record); }, work.record);
  }
  serial_ = serial;
  global_pid_ = global_pid;
}

void CudaBuilder::kernel(const wire::CudaKernelRecord& record) { write_or_keep(record); }
void CudaBuilder::memcpy(const wire::CudaMemcpyRecord& record) { write_or_keep(record); }
void CudaBuilder::memset(const wire::CudaMemsetRecord& record) { write_or_keep(record); }

void CudaBuilder::write(const wire::CudaKernelRecord& record) {
  KernelRow row;
  row.start = gpu_time(record.start);
  row.end = gpu_time(record.end);
  if (!is_plausible(row.start, row.end)) return;
  locate(row, record, record.device);
  const KernelNames& names = names_of(record.name);
  row.demangled_name = names.demangled;
  row.short_name = names.brief;
  row.mangled_name = names.mangled;
  row.launch_type = record.header.flags + 1;   // 0 means unknown in nsys
  row.cache_config = record.cache_config + 1;  // 0 means unknown in nsys
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
  if (record.graph_node == 0)
    row.nulls = null_bits<KernelRow>(&KernelRow::graph_node, &KernelRow::graph);
  row.cluster_x = record.cluster[0];
  row.cluster_y = record.cluster[1];
  row.cluster_z = record.cluster[2];
  ++stats_.operations;
  writer_.add(row);
}

void CudaBuilder::write(const wire::CudaMemcpyRecord& record) {
  MemcpyRow row;
  row.start = gpu_time(record.start);
  row.end = gpu_time(record.end);
  if (!is_plausible(row.start, row.end)) return;
  locate(row, record, record.device);
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
  row.nulls = null_bits<MemcpyRow>(&MemcpyRow::migration_cause, &MemcpyRow::virtual_address);
  if (record.source_device == wire::kNoCudaId)
    row.nulls |= null_bits<MemcpyRow>(&MemcpyRow::source_device, &MemcpyRow::source_context,
                                      &MemcpyRow::target_device, &MemcpyRow::target_context);
  if (record.graph_node == 0) row.nulls |= null_bits<MemcpyRow>(&MemcpyRow::graph_node);
  ++stats_.operations;
  writer_.add(row);
}

void CudaBuilder::write(const wire::CudaMemsetRecord& record) {
  MemsetRow row;
  row.start = gpu_time(record.start);
  row.end = gpu_time(record.end);
  if (!is_plausible(row.start, row.end)) return;
  locate(row, record, record.device);
  row.value = record.value;
  row.bytes = static_cast<std::int64_t>(record.bytes);
  row.graph_node = static_cast<std::int64_t>(record.graph_node);
  row.memory_kind = memory_kind(record.memory_kind);
  if (record.graph_node == 0) row.nulls = null_bits<MemsetRow>(&MemsetRow::graph_node);
  ++stats_.operations;
  writer_.add(row);
}

void CudaBuilder::sync(const wire::CudaSyncRecord& record) {
  report::SyncRow row;
  row.start = clock_.to_ns(record.start);
  row.end = clock_.to_ns(record.end);
  const bool of_event = record.event != 0;
  const CudaEvents::State event =
      of_event ? events_.at(serial_, record.event, record.start) : CudaEvents::State{};
  // A waiting stream is in its own context. A thread that waits for an event counts in the event's
  // context.
  const bool elsewhere = record.stream == wire::kNoCudaId && event.context != wire::kNoCudaId;
  const DeviceIds at = place(elsewhere ? event.context : record.context, wire::kNoCudaId);
  // The device is that of the stream, as in nsys; the context is that of the calling thread, as in
  // CUPTI.
  row.device =
      record.stream == wire::kNoCudaId
          ? at.device
          : place(context_of_stream(record.stream, record.context), wire::kNoCudaId).device;
  row.context = at.context;
  row.stream = record.stream;
  row.correlation = record.header.aux;
  row.global_pid = global_pid_;
  row.type = record.header.flags;  // the ENUM table uses CUPTI's numbers
  row.event = event.id;
  row.event_sync = event.recording;
  last_time_ = std::max(last_time_, row.end);
  ++stats_.others;
  writer_.add(row);
}

void CudaBuilder::event(const wire::CudaEventRecord& record) {
  if (record.header.flags != static_cast<std::uint8_t>(wire::CudaEventOp::kRecorded)) return;
  const CudaEvents::State event = events_.at(serial_, record.event, record.time);
  if (event.in_graph) return;
  report::CudaEventRow row;
  locate(row, record, wire::kNoCudaId);
  row.event = event.id;
  row.event_sync = event.recording;
  ++stats_.others;
  writer_.add(row);
}

void CudaBuilder::graph_launch(const wire::CudaGraphLaunchRecord& record) {
  report::GraphLaunchRow row;
  row.start = gpu_time(record.start);
  row.end = gpu_time(record.end);
  if (!is_plausible(row.start, row.end)) return;
  locate(row, record, record.device);
  row.graph_exec = record.graph;
  row.graph = graphs_.source_of(serial_, record.graph);
  ++stats_.operations;
  writer_.add(row);
}

void CudaBuilder::host_function(const wire::CudaHostFunctionRecord& record) {
  using report::HostFunctionRow;
  HostFunctionRow row;
  row.start = gpu_time(record.start);
  row.end = gpu_time(record.end);
  if (!is_plausible(row.start, row.end)) return;
  locate(row, record, record.device);
  if (record.graph_node == 0) {
    row.nulls |=
        report::null_bits<HostFunctionRow>(&HostFunctionRow::graph_node, &HostFunctionRow::graph);
  } else {
    row.graph_node = static_cast<std::int64_t>(record.graph_node);
    row.graph = record.graph;
  }
  ++stats_.others;
  writer_.add(row);
}

void CudaBuilder::context_switch(const wire::CudaContextSwitchRecord& record) {
  const std::int64_t time = gpu_time(record.time);
  if (!is_plausible(time, time)) return;
  switches_.add(serial_, record.header.aux, time, record.header.flags == wire::kCudaContextBegins);
  ++stats_.others;
}

void CudaBuilder::finish(const std::vector<std::string>& gpu_locations) {
  write_bodies();
  for (const auto& [key, context] : contexts_) {
    const ProcessImage* image = processes_.find(key.first);
    write_cuda_context(writer_, image == nullptr ? 0 : image->pid, context);
  }
  const auto device_of = [this](std::uint32_t serial, std::uint32_t context) {
    const auto found = contexts_.find({serial, context});
    return found == contexts_.end() ? 0 : found->second.device;
  };
  names_.write(writer_, strings_, processes_, device_of);
  GpuTable gpus(writer_, strings_);
  for (const auto& [key, device] : devices_) {
    const ProcessImage* image = processes_.find(key.first);
    gpus.add(key.first, image == nullptr ? 0 : image->pid, device);
  }
  gpus.write(gpu_locations);
  switches_.write(writer_, [&](std::uint32_t serial, std::uint32_t context) {
    return ContextSwitches::Context{gpus.id_of(serial, device_of(serial, context)),
                                    processes_.global_pid_of(serial), context};
  });
}

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
