// Converts CUPTI's activity records to ours. New versions of CUPTI add fields at the end of a
// struct, so a record of an older libcupti is the beginning of the newest layout. All records are
// read through the newest layout, and fields that the version lacks are not used. Layouts:
// cupti_activity.h of CUDA 13.0, and cupti_activity_deprecated.h for older ones.
#include "injection/core/clock.hpp"
#include "injection/core/record/capture.hpp"
#include "injection/core/record/diagnostics.hpp"
#include "injection/core/record/strings.hpp"
#include "injection/core/syscalls.hpp"
#include "injection/cuda/cupti_v2.hpp"
#include "injection/cuda/state.hpp"

namespace prof::cuda {

namespace {

// The first versions (cupti_version.h) that have a field.
constexpr std::uint32_t kMemcpyCount = 26;    // CUpti_ActivityMemcpy6
constexpr std::uint32_t kContextParent = 24;  // CUpti_ActivityContext2

bool has(std::uint32_t version) { return g_cupti.version >= version; }

std::uint64_t time(std::uint64_t theirs) {
  return theirs == 0 ? 0 : theirs - static_cast<std::uint64_t>(g_state.clock_lag);
}

// GPU records come in bursts, on CUPTI's thread or in a flush at program exit. There a short wait
// for the collector delays nobody and drops nothing. After one wait without success there is no
// further wait until the collector has made room.
std::atomic<bool> g_wait_failed;

bool has_room_soon(std::uint32_t size) {
  constexpr int kPatience = 400;
  for (int tries = 0; tries < kPatience; ++tries) {
    if (core::has_room(size)) return true;
    if (g_wait_failed.load(std::memory_order_relaxed)) return false;
    core::sys::sleep_ns(500'000);
  }
  return false;
}

}  // namespace

void wait_for_room(std::uint32_t size) {
  g_wait_failed.store(!has_room_soon(size), std::memory_order_relaxed);
}

namespace {

template <class Record>
void write(const Record& record) {
  wait_for_room(sizeof record);
  core::append(record);
}

template <class Record>
wire::RecordHeader header(wire::RecordType type, std::uint32_t aux, std::uint32_t flags = 0) {
  return core::header_of<Record>(type, aux, static_cast<std::uint8_t>(flags));
}

void write_kernel(const CUpti_ActivityKernel9& k) {
  wire::CudaKernelRecord r{};
  r.header =
      header<wire::CudaKernelRecord>(wire::RecordType::kCudaKernel, k.correlationId, k.launchType);
  r.start = time(k.start);
  r.end = time(k.end);
  r.name = core::intern(k.name);
  r.graph_node = k.graphNodeId;
  r.grid_id = k.gridId;
  r.local_memory_total = k.localMemoryTotal_v2 != 0 ? k.localMemoryTotal_v2 : k.localMemoryTotal;
  r.device = k.deviceId;
  r.context = k.contextId;
  r.stream = k.streamId;
  r.graph = k.graphId;
  r.grid[0] = k.gridX;
  r.grid[1] = k.gridY;
  r.grid[2] = k.gridZ;
  r.block[0] = k.blockX;
  r.block[1] = k.blockY;
  r.block[2] = k.blockZ;
  r.static_shared = k.staticSharedMemory;
  r.dynamic_shared = k.dynamicSharedMemory;
  r.local_memory_per_thread = k.localMemoryPerThread;
  r.shared_executed = k.sharedMemoryExecuted;
  r.cluster[0] = k.clusterX;
  r.cluster[1] = k.clusterY;
  r.cluster[2] = k.clusterZ;
  r.registers = k.registersPerThread;
  r.cache_config = k.cacheConfig.config.executed;
  r.shared_limit_config = static_cast<std::uint8_t>(k.shmemLimitConfig);
  write(r);
}

template <class Copy>
wire::CudaMemcpyRecord memcpy_record(const Copy& c) {
  wire::CudaMemcpyRecord r{};
  r.header =
      header<wire::CudaMemcpyRecord>(wire::RecordType::kCudaMemcpy, c.correlationId, c.copyKind);
  r.start = time(c.start);
  r.end = time(c.end);
  r.bytes = c.bytes;
  r.graph_node = c.graphNodeId;
  r.count = 1;
  r.device = c.deviceId;
  r.context = c.contextId;
  r.stream = c.streamId;
  r.source_device = r.source_context = r.target_device = r.target_context = wire::kNoCudaId;
  r.source_kind = c.srcKind;
  r.target_kind = c.dstKind;
  return r;
}

void write_memcpy(const CUpti_ActivityMemcpy6& c) {
  wire::CudaMemcpyRecord r = memcpy_record(c);
  if (has(kMemcpyCount) && c.copyCount != 0) r.count = c.copyCount;
  write(r);
}

void write_peer_copy(const CUpti_ActivityMemcpyPtoP4& c) {
  wire::CudaMemcpyRecord r = memcpy_record(c);
  r.source_device = c.srcDeviceId;
  r.source_context = c.srcContextId;
  r.target_device = c.dstDeviceId;
  r.target_context = c.dstContextId;
  write(r);
}

void write_memset(const CUpti_ActivityMemset4& m) {
  write(wire::CudaMemsetRecord{
      header<wire::CudaMemsetRecord>(wire::RecordType::kCudaMemset, m.correlationId), time(m.start),
      time(m.end), m.bytes, m.graphNodeId, m.deviceId, m.contextId, m.streamId, m.value,
      m.memoryKind, 0});
}

void write_graph_launch(const CUpti_ActivityGraphTrace& g) {
  write(wire::CudaGraphLaunchRecord{
      header<wire::CudaGraphLaunchRecord>(wire::RecordType::kCudaGraphLaunch, g.correlationId),
      time(g.start), time(g.end), g.deviceId, g.contextId, g.streamId, g.graphId});
}

// Writes a graph that the GPU launched. It belongs to no API call.
void write_device_graph(const CUpti_ActivityDeviceGraphTrace& g) {
  write(wire::CudaGraphLaunchRecord{
      header<wire::CudaGraphLaunchRecord>(wire::RecordType::kCudaGraphLaunch, 0), time(g.start),
      time(g.end), g.deviceId, g.contextId, static_cast<std::uint32_t>(g.streamId), g.graphId});
}

void write_memory(const CUpti_ActivityMemory3& m) {
  wire::CudaMemoryRecord r{};
  r.header = header<wire::CudaMemoryRecord>(wire::RecordType::kCudaMemory, m.correlationId,
                                            static_cast<std::uint32_t>(m.memoryOperationType));
  r.time = time(m.timestamp);
  r.address = m.address;
  r.bytes = m.bytes;
  r.pc = m.PC;
  r.name = m.name == nullptr ? 0 : core::intern(m.name);
  r.device = m.deviceId;
  r.context = object_id(m.contextId);
  r.stream = m.isAsync != 0 ? object_id(m.streamId) : wire::kNoCudaId;
  r.memory_kind = static_cast<std::uint16_t>(m.memoryKind);
  r.pool_type = static_cast<std::uint16_t>(m.memoryPoolConfig.memoryPoolType);
  r.pool_address = m.memoryPoolConfig.address;
  r.pool_release_threshold = m.memoryPoolConfig.releaseThreshold;
  r.pool_size = m.memoryPoolConfig.pool.size;
  r.pool_used = m.memoryPoolConfig.utilizedSize;
  write(r);
}

void write_pool(const CUpti_ActivityMemoryPool2& p) {
  write(wire::CudaPoolRecord{
      header<wire::CudaPoolRecord>(wire::RecordType::kCudaPool, p.correlationId,
                                   static_cast<std::uint32_t>(p.memoryPoolOperationType)),
      time(p.timestamp), p.address, p.minBytesToKeep, p.releaseThreshold, p.size, p.utilizedSize,
      p.deviceId, static_cast<std::uint32_t>(p.memoryPoolType)});
}

void write_context(const CUpti_ActivityContext3& c) {
  const bool newer = has(kContextParent);
  note_context(c.contextId);
  write(wire::CudaContextRecord{
      header<wire::CudaContextRecord>(wire::RecordType::kCudaContext, c.contextId,
                                      newer ? c.isGreenContext : 0),
      c.deviceId, c.nullStreamId, newer ? c.parentContextId : 0,
      newer && c.isGreenContext != 0 ? c.numMultiprocessors : std::uint32_t{0}});
}

// From CUPTI 13.2 on, a green context has this record and none of the kind CONTEXT.
void write_green_context(const v2::GreenContext& c) {
  note_context(c.context);
  write(wire::CudaContextRecord{
      header<wire::CudaContextRecord>(wire::RecordType::kCudaContext, c.context, 1), c.device, 0,
      c.parent, c.multiprocessors});
}

void write_context_switch(const v2::ContextSwitch& c) {
  write(wire::CudaContextSwitchRecord{
      header<wire::CudaContextSwitchRecord>(wire::RecordType::kCudaContextSwitch, c.context,
                                            c.operation),
      time(c.time)});
}

void write_host_function(const v2::GraphHostNode& h) {
  write(wire::CudaHostFunctionRecord{
      header<wire::CudaHostFunctionRecord>(wire::RecordType::kCudaHostFunction, h.correlation),
      time(h.start), time(h.end), h.node, h.device, h.context, h.stream, h.graph});
}
void write_host_function(const v2::HostLaunch& h) {
  write(wire::CudaHostFunctionRecord{
      header<wire::CudaHostFunctionRecord>(wire::RecordType::kCudaHostFunction, h.correlation),
      time(h.start), time(h.end), 0, h.device, h.context, h.stream, 0});
}

void write_stream(const CUpti_ActivityStream& s) {
  write(wire::CudaStreamRecord{
      header<wire::CudaStreamRecord>(wire::RecordType::kCudaStream, s.streamId,
                                     static_cast<std::uint32_t>(s.flag)),
      s.contextId, static_cast<std::int32_t>(s.priority)});
}

void write_device(const CUpti_ActivityDevice4& d) {
  wire::CudaDeviceRecord r{};
  r.header = header<wire::CudaDeviceRecord>(wire::RecordType::kCudaDevice, d.id);
  r.name = core::intern(d.name);
  r.memory_bandwidth = d.globalMemoryBandwidth * 1000;  // kB/s
  r.memory = d.globalMemorySize;
  r.clock = static_cast<std::uint64_t>(d.coreClockRate) * 1000;  // kHz
  std::memcpy(r.uuid, &d.uuid, sizeof r.uuid);
  r.l2_cache = d.l2CacheSize;
  r.constant_memory = d.constantMemorySize;
  r.multiprocessors = d.numMultiprocessors;
  r.copy_engines = d.numMemcpyEngines;
  r.warp_size = d.numThreadsPerWarp;
  r.max_ipc = d.maxIPC;
  r.max_warps_per_sm = d.maxWarpsPerMultiprocessor;
  r.max_blocks_per_sm = d.maxBlocksPerMultiprocessor;
  r.max_shared_per_sm = d.maxSharedMemoryPerMultiprocessor;
  r.max_registers_per_sm = d.maxRegistersPerMultiprocessor;
  r.max_registers_per_block = d.maxRegistersPerBlock;
  r.max_shared_per_block = d.maxSharedMemoryPerBlock;
  r.max_threads_per_block = d.maxThreadsPerBlock;
  r.max_block[0] = d.maxBlockDimX;
  r.max_block[1] = d.maxBlockDimY;
  r.max_block[2] = d.maxBlockDimZ;
  r.max_grid[0] = d.maxGridDimX;
  r.max_grid[1] = d.maxGridDimY;
  r.max_grid[2] = d.maxGridDimZ;
  r.compute_major = d.computeCapabilityMajor;
  r.compute_minor = d.computeCapabilityMinor;
  complete_device(r);
  write(r);
}

void write_overhead(const CUpti_ActivityOverhead& o) {
  const bool of_thread = o.objectKind == CUPTI_ACTIVITY_OBJECT_THREAD;
  write(wire::CudaOverheadRecord{
      header<wire::CudaOverheadRecord>(wire::RecordType::kCudaOverhead,
                                       static_cast<std::uint32_t>(o.overheadKind)),
      time(o.start), time(o.end), of_thread ? o.objectId.pt.threadId : 0, 0});
}

void write_unified_memory(const CUpti_ActivityUnifiedMemoryCounter2& u) {
  write(wire::CudaUnifiedMemoryRecord{
      header<wire::CudaUnifiedMemoryRecord>(wire::RecordType::kCudaUnifiedMemory,
                                            static_cast<std::uint32_t>(u.counterKind)),
      time(u.start), time(u.end), u.value, u.address, u.srcId, u.dstId, u.streamId, u.flags});
}

// True for records that describe something. Outside of a capture range only these are kept, because
// later records refer to them.
bool describes(CUpti_ActivityKind kind) {
  return kind == CUPTI_ACTIVITY_KIND_CONTEXT || kind == CUPTI_ACTIVITY_KIND_STREAM ||
         kind == CUPTI_ACTIVITY_KIND_DEVICE || kind == v2::kGreenContextKind;
}

template <class Record>
const Record& as(const CUpti_Activity* record) {
  return *reinterpret_cast<const Record*>(record);
}

}  // namespace

void write_external_id(std::uint32_t correlation, std::uint8_t kind, std::uint64_t id,
                       std::uint64_t client) {
  if (core::paused()) return;
  write(wire::CudaExternalIdRecord{
      header<wire::CudaExternalIdRecord>(wire::RecordType::kCudaExternalId, correlation, kind), id,
      client});
}

void write_call_record(const CUpti_ActivityAPI& call, std::uint32_t function, bool no_row) {
  write(wire::CudaRecordedCallRecord{
      header<wire::CudaRecordedCallRecord>(wire::RecordType::kCudaRecordedCall, call.correlationId,
                                           no_row ? wire::kCudaCallWithoutRow : 0),
      function, static_cast<std::int32_t>(call.returnValue), time(call.start), time(call.end),
      call.threadId, 0});
}

void write_activity(const CUpti_Activity* record) {
  if (core::paused() && !describes(record->kind)) return;
  switch (static_cast<int>(record->kind)) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return write_kernel(as<CUpti_ActivityKernel9>(record));
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return write_memcpy(as<CUpti_ActivityMemcpy6>(record));
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return write_peer_copy(as<CUpti_ActivityMemcpyPtoP4>(record));
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return write_memset(as<CUpti_ActivityMemset4>(record));
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
      return write_graph_launch(as<CUpti_ActivityGraphTrace>(record));
    case CUPTI_ACTIVITY_KIND_DEVICE_GRAPH_TRACE:
      return write_device_graph(as<CUpti_ActivityDeviceGraphTrace>(record));
    case CUPTI_ACTIVITY_KIND_MEMORY2:
      return write_memory(as<CUpti_ActivityMemory3>(record));
    case CUPTI_ACTIVITY_KIND_MEMORY_POOL:
      return write_pool(as<CUpti_ActivityMemoryPool2>(record));
    case CUPTI_ACTIVITY_KIND_CONTEXT:
      return write_context(as<CUpti_ActivityContext3>(record));
    case v2::kGreenContextKind:
      return write_green_context(as<v2::GreenContext>(record));
    case v2::kContextSwitchKind:
      return write_context_switch(as<v2::ContextSwitch>(record));
    case v2::kGraphHostNodeKind:
      return write_host_function(as<v2::GraphHostNode>(record));
    case v2::kHostLaunchKind:
      return write_host_function(as<v2::HostLaunch>(record));
    case CUPTI_ACTIVITY_KIND_STREAM:
      return write_stream(as<CUpti_ActivityStream>(record));
    case CUPTI_ACTIVITY_KIND_DEVICE:
      return write_device(as<CUpti_ActivityDevice4>(record));
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
      return write_overhead(as<CUpti_ActivityOverhead>(record));
    case CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER:
      return write_unified_memory(as<CUpti_ActivityUnifiedMemoryCounter2>(record));
    case CUPTI_ACTIVITY_KIND_DEVICE_ATTRIBUTE:  // part of DEVICE
      return;
    default:
      core::report(wire::DiagnosticCode::kCudaUnknownRecord,
                   static_cast<std::uint64_t>(record->kind));
  }
}

}  // namespace prof::cuda
