#include "gpu.hpp"

#include <cstring>

#include "injection/cuda/cupti_v2.hpp"

namespace fake {

namespace v2 = prof::cuda::v2;

namespace {

constexpr std::uint64_t kKernelNs = 5000;
constexpr std::uint64_t kCopyNs = 2000;
constexpr std::uint64_t kSetNs = 1000;

int thread_id() { return static_cast<int>(syscall(SYS_gettid)); }

template <class Record>
Record at_place(CUpti_ActivityKind kind, Place at, std::uint32_t correlation) {
  Record record;
  std::memset(&record, 0, sizeof record);
  record.kind = kind;
  record.deviceId = at.device;
  record.contextId = at.context;
  record.streamId = at.stream;
  record.correlationId = correlation;
  return record;
}

Json place_row(Place at, std::uint32_t correlation) {
  const bool green = at.context == kGreen.context;
  return {{"deviceId", at.device},
          {"contextId", green ? kFirst.context : at.context},
          {"greenContextId", green ? at.context : 0},
          {"streamId", at.stream},
          {"correlationId", correlation}};
}

Json with(Json row, const Json& more) {
  row.update(more);
  return row;
}

void set_up_device(std::uint32_t ordinal) {
  CUpti_ActivityDevice5 device{};
  device.kind = CUPTI_ACTIVITY_KIND_DEVICE;
  device.id = ordinal;
  const int gpu = physical(static_cast<int>(ordinal));
  device.name = gpu == 0 ? "Fake GPU One" : "Fake GPU Two";
  device.globalMemoryBandwidth = 3'000'000'000;  // kB/s
  device.globalMemorySize = 150'000'000'000;
  device.coreClockRate = 1'980'000;  // kHz
  device.numMultiprocessors = 132;
  device.numThreadsPerWarp = 32;
  device.l2CacheSize = 62'914'560;
  device.maxThreadsPerBlock = 1024;
  device.computeCapabilityMajor = 9;
  device.maxIPC = 4;
  for (int i = 0; i < 16; ++i) device.uuid.bytes[i] = static_cast<char>(16 * gpu + i);
  put(device);
  CUpti_ActivityDeviceAttribute attribute{};
  attribute.kind = CUPTI_ACTIVITY_KIND_DEVICE_ATTRIBUTE;
  attribute.deviceId = ordinal;
  put(attribute);
}

void set_up_context(Place at, std::uint32_t parent = 0) {
  CUpti_ActivityContext3 context{};
  context.kind = CUPTI_ACTIVITY_KIND_CONTEXT;
  context.contextId = at.context;
  context.deviceId = at.device;
  context.nullStreamId = static_cast<std::uint16_t>(at.stream);
  context.parentContextId = parent;
  context.isGreenContext = parent != 0;
  context.numMultiprocessors = parent != 0 ? 16 : 0;
  put(context);
}

// Newer versions report green contexts by a separate kind.
void set_up_green_context(Place at, std::uint32_t parent) {
  if (misbehaviour().version < v2::kSubscribers) return set_up_context(at, parent);
  v2::GreenContext context{};
  context.kind = v2::kGreenContextKind;
  context.context = at.context;
  context.parent = parent;
  context.device = at.device;
  context.tpcs = 8;
  context.multiprocessors = 16;
  put(context);
}

void set_up_stream(Place at, int priority) {
  CUpti_ActivityStream stream{};
  stream.kind = CUPTI_ACTIVITY_KIND_STREAM;
  stream.contextId = at.context;
  stream.streamId = at.stream;
  stream.priority = static_cast<std::uint32_t>(priority);
  stream.flag = at.stream == 7 ? CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NULL
                               : CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NON_BLOCKING;
  put(stream);
}

// ENUM_CUDA_MEM_KIND of a report.
int memory_kind(CUpti_ActivityMemoryKind kind) {
  return kind == CUPTI_ACTIVITY_MEMORY_KIND_UNKNOWN ? 7 : static_cast<int>(kind) - 1;
}

}  // namespace

void Gpu::expect(const char* table, Json row) {
  const std::lock_guard lock(lock_);
  answer_[table].push_back(std::move(row));
}

void Gpu::expect_call(CUpti_CallbackDomain domain, CUpti_CallbackId id, const ApiCall& call) {
  const char* name = "";
  cuptiGetCallbackName(domain, id, &name);
  expect("RUNTIME", {{"name", name},
                     {"eventClass", domain == CUPTI_CB_DOMAIN_RUNTIME_API ? 0 : 1},
                     {"correlationId", call.correlation},
                     {"returnValue", call.result},
                     {"tid", thread_id()}});
}

void Gpu::set_up() {
  for (std::uint32_t ordinal : {0U, 1U}) set_up_device(ordinal);
  set_up_context(kFirst);
  set_up_context(kSecond);
  set_up_green_context(kGreen, kFirst.context);
  for (const Place at : {kFirst, kSecond, kGreen}) set_up_stream(at, 0);
  set_up_stream(kOther, -2);
  set_up_stream(kOther, -2);  // CUPTI reports it again when activities are enabled
}

CUpti_ActivityKernel10 Gpu::kernel(const char* name, Place at, std::uint32_t correlation,
                                   std::uint64_t node, std::uint32_t graph) {
  auto kernel =
      at_place<CUpti_ActivityKernel10>(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, at, correlation);
  take_time(kernel, kKernelNs);
  kernel.name = name;
  kernel.gridX = 4;
  kernel.gridY = 2;
  kernel.gridZ = 1;
  kernel.blockX = 64;
  kernel.blockY = 1;
  kernel.blockZ = 3;
  kernel.staticSharedMemory = 1024;
  kernel.dynamicSharedMemory = 4096;
  kernel.localMemoryPerThread = 16;
  kernel.localMemoryTotal = 1 << 20;
  kernel.localMemoryTotal_v2 = std::uint64_t{5} << 30;
  kernel.registersPerThread = 40;
  kernel.cacheConfig.both = 0x21;
  kernel.sharedMemoryExecuted = 16384;
  kernel.gridId = 100 + correlation;
  kernel.launchType = CUPTI_ACTIVITY_LAUNCH_TYPE_REGULAR;
  kernel.clusterX = 2;
  kernel.clusterY = kernel.clusterZ = 1;
  kernel.graphNodeId = node;
  kernel.graphId = graph;
  return kernel;
}

void Gpu::expect_kernel(const CUpti_ActivityKernel10& k, const char* table) {
  Json row = place_row({k.deviceId, k.contextId, k.streamId}, k.correlationId);
  expect(table,
         with(std::move(row), {{"mangled", k.name},
                               {"duration", k.end - k.start},
                               {"gridX", k.gridX},
                               {"gridY", k.gridY},
                               {"gridZ", k.gridZ},
                               {"blockX", k.blockX},
                               {"blockY", k.blockY},
                               {"blockZ", k.blockZ},
                               {"staticSharedMemory", k.staticSharedMemory},
                               {"dynamicSharedMemory", k.dynamicSharedMemory},
                               {"localMemoryPerThread", k.localMemoryPerThread},
                               {"localMemoryTotal", k.localMemoryTotal_v2},
                               {"registersPerThread", k.registersPerThread},
                               {"sharedMemoryExecuted", k.sharedMemoryExecuted},
                               {"gridId", k.gridId},
                               {"launchType", k.launchType + 1},
                               {"clusterX", k.clusterX},
                               {"clusterY", k.clusterY},
                               {"clusterZ", k.clusterZ},
                               {"graphNodeId", k.graphNodeId == 0 ? Json() : Json(k.graphNodeId)},
                               {"graphId", k.graphNodeId == 0 ? Json() : Json(k.graphId)}}));
}

void Gpu::launch(const char* name, Place at, std::uint32_t blocks, std::uint32_t threads) {
  runtime_over_driver(CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000,
                      CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, [&](std::uint32_t correlation) {
                        auto k = kernel(name, at, correlation);
                        k.gridX = static_cast<std::int32_t>(blocks);
                        k.blockX = static_cast<std::int32_t>(threads);
                        put(k);
                        expect_kernel(k, "KERNEL");
                      });
}

void Gpu::launch_by_driver(const char* name, Place at) {
  driver(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, [&](std::uint32_t correlation) {
    auto k = kernel(name, at, correlation);
    k.launchType = CUPTI_ACTIVITY_LAUNCH_TYPE_COOPERATIVE_SINGLE_DEVICE;
    k.localMemoryTotal_v2 = k.localMemoryTotal;
    put(k);
    expect_kernel(k, "KERNEL");
  });
}

void Gpu::copy(CUpti_ActivityMemcpyKind kind, CUpti_ActivityMemoryKind from,
               CUpti_ActivityMemoryKind to, std::uint64_t bytes, Place at, std::uint64_t batch) {
  runtime_over_driver(
      CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020, CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2,
      [&](std::uint32_t correlation) {
        auto copy = at_place<CUpti_ActivityMemcpy6>(CUPTI_ACTIVITY_KIND_MEMCPY, at, correlation);
        take_time(copy, kCopyNs);
        copy.copyKind = static_cast<std::uint8_t>(kind);
        copy.srcKind = static_cast<std::uint8_t>(from);
        copy.dstKind = static_cast<std::uint8_t>(to);
        copy.bytes = bytes;
        copy.copyCount = batch;
        put(copy);
        expect("MEMCPY", with(place_row(at, correlation), {{"copyKind", kind},
                                                           {"srcKind", memory_kind(from)},
                                                           {"dstKind", memory_kind(to)},
                                                           {"bytes", bytes},
                                                           {"copyCount", batch},
                                                           {"srcDeviceId", nullptr},
                                                           {"srcContextId", nullptr},
                                                           {"dstDeviceId", nullptr},
                                                           {"dstContextId", nullptr},
                                                           {"duration", kCopyNs}}));
      });
}

void Gpu::copy_between_devices(std::uint64_t bytes) {
  runtime_over_driver(CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyPeerAsync_v4000,
                      CUPTI_DRIVER_TRACE_CBID_cuMemcpyPeerAsync, [&](std::uint32_t correlation) {
                        auto copy = at_place<CUpti_ActivityMemcpyPtoP4>(CUPTI_ACTIVITY_KIND_MEMCPY2,
                                                                        kFirst, correlation);
                        take_time(copy, kCopyNs);
                        copy.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_PTOP;
                        copy.srcKind = copy.dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
                        copy.bytes = bytes;
                        copy.srcDeviceId = kFirst.device;
                        copy.srcContextId = kFirst.context;
                        copy.dstDeviceId = kSecond.device;
                        copy.dstContextId = kSecond.context;
                        put(copy);
                        expect("MEMCPY", with(place_row(kFirst, correlation),
                                              {{"copyKind", CUPTI_ACTIVITY_MEMCPY_KIND_PTOP},
                                               {"srcKind", 2},
                                               {"dstKind", 2},
                                               {"bytes", bytes},
                                               {"copyCount", 1},
                                               {"srcDeviceId", 0},
                                               {"srcContextId", 1},
                                               {"dstDeviceId", 1},
                                               {"dstContextId", 2},
                                               {"duration", kCopyNs}}));
                      });
}

void Gpu::set(std::uint32_t value, std::uint64_t bytes, Place at) {
  runtime_over_driver(CUPTI_RUNTIME_TRACE_CBID_cudaMemsetAsync_v3020,
                      CUPTI_DRIVER_TRACE_CBID_cuMemsetD8Async, [&](std::uint32_t correlation) {
                        auto set = at_place<CUpti_ActivityMemset4>(CUPTI_ACTIVITY_KIND_MEMSET, at,
                                                                   correlation);
                        take_time(set, kSetNs);
                        set.value = value;
                        set.bytes = bytes;
                        set.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
                        put(set);
                        expect("MEMSET", with(place_row(at, correlation), {{"value", value},
                                                                           {"bytes", bytes},
                                                                           {"memKind", 2},
                                                                           {"graphNodeId", nullptr},
                                                                           {"duration", kSetNs}}));
                      });
}

}  // namespace fake
