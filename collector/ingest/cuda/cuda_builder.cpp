#include "collector/ingest/cuda/cuda_builder.hpp"

#include <algorithm>

#include "collector/ingest/cuda/cuda_numbers.hpp"
#include "collector/ingest/cuda/gpu_tables.hpp"
#include "common/code/demangle/demangle.hpp"

namespace prof::ingest {

using report::EventClass;
using report::KernelRow;
using report::MemcpyRow;
using report::MemsetRow;
using report::null_bits;
using report::RuntimeRow;

namespace {

EventClass class_of(std::uint32_t function) {
  return function < wire::kCudaDriverFunctions ? EventClass::kCudaRuntime : EventClass::kCudaDriver;
}

}  // namespace

void CudaBuilder::define(std::uint32_t serial, const wire::CudaContextRecord& record) {
  contexts_.insert_or_assign({serial, record.header.aux}, record);
}

void CudaBuilder::define(std::uint32_t serial, const wire::CudaGraphEventRecord& record) {
  if (record.header.aux == static_cast<std::uint32_t>(wire::CudaGraphEvent::kExecCreated))
    graph_of_exec_.insert_or_assign({serial, record.exec}, record.id);
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

CudaBuilder::Place CudaBuilder::place(std::uint32_t context, std::uint32_t device) const {
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
  const Place at = place(record.context, device);
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

void CudaBuilder::kernel(const wire::CudaKernelRecord& record) {
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

void CudaBuilder::memcpy(const wire::CudaMemcpyRecord& record) {
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

void CudaBuilder::memset(const wire::CudaMemsetRecord& record) {
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
  const Place at = place(elsewhere ? event.context : record.context, wire::kNoCudaId);
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
  const auto graph = graph_of_exec_.find({serial_, record.graph});
  row.graph =
      graph == graph_of_exec_.end() ? record.graph : static_cast<std::uint32_t>(graph->second);
  ++stats_.operations;
  writer_.add(row);
}

void CudaBuilder::finish(const std::vector<std::string>& gpu_locations) {
  for (const auto& [key, context] : contexts_) {
    const ProcessImage* image = processes_.find(key.first);
    write_cuda_context(writer_, image == nullptr ? 0 : image->pid, context);
  }
  names_.write(writer_, strings_, processes_, [this](std::uint32_t serial, std::uint32_t context) {
    const auto found = contexts_.find({serial, context});
    return found == contexts_.end() ? 0 : found->second.device;
  });
  GpuTable gpus(writer_, strings_);
  for (const auto& [key, device] : devices_) {
    const ProcessImage* image = processes_.find(key.first);
    gpus.add(key.first, image == nullptr ? 0 : image->pid, device);
  }
  gpus.write(gpu_locations);
}

}  // namespace prof::ingest
