#include <cuda.h>
#include <sys/wait.h>

#include <thread>
#include <vector>

#include "modes.hpp"

namespace fake {

namespace {

void ask(Gpu& gpu) {
  // Calls that do no work are traced only if all functions are requested.
  const auto query = [](CUpti_CallbackId id,
                        CUpti_CallbackId inside = CUPTI_DRIVER_TRACE_CBID_cuCtxGetDevice) {
    const ApiCall call(CUPTI_CB_DOMAIN_RUNTIME_API, id);
    const ApiCall below(CUPTI_CB_DOMAIN_DRIVER_API, inside);
    return call.correlation;
  };
  gpu.expect("QUERY", {{"name", "cudaGetDevice_v3020"},
                       {"correlationId", query(CUPTI_RUNTIME_TRACE_CBID_cudaGetDevice_v3020)}});
  gpu.expect("QUERY", {{"name", "cudaGetLastError_v3020"},
                       {"correlationId", query(CUPTI_RUNTIME_TRACE_CBID_cudaGetLastError_v3020)}});
  // A query may be the first call that needs the code of a library.
  gpu.expect("QUERY", {{"name", "cudaFuncGetAttributes_v3020"},
                       {"correlationId", query(CUPTI_RUNTIME_TRACE_CBID_cudaFuncGetAttributes_v3020,
                                               CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadData)}});
  const ApiCall alone(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuCtxGetCurrent);
  gpu.expect("QUERY", {{"name", "cuCtxGetCurrent"}, {"correlationId", alone.correlation}});
}

void compute(Gpu& gpu) {
  for (std::uint32_t i = 1; i <= 5; ++i) gpu.launch("_Z5saxpyfPfi", kFirst, i, 32 * i);
  gpu.launch("_ZN4demo6reduceIfEEvPT_i", kOther);
  gpu.launch("_Z5saxpyfPfi", kSecond);
  gpu.launch("_Z5saxpyfPfi", kGreen);
  gpu.launch_by_driver("plain_kernel", kFirst);
}

void move(Gpu& gpu) {
  using Kind = CUpti_ActivityMemoryKind;
  constexpr Kind kPageable = CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE;
  constexpr Kind kPinned = CUPTI_ACTIVITY_MEMORY_KIND_PINNED;
  constexpr Kind kDevice = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  gpu.copy(CUPTI_ACTIVITY_MEMCPY_KIND_HTOD, kPageable, kDevice, 4096, kFirst);
  gpu.copy(CUPTI_ACTIVITY_MEMCPY_KIND_DTOH, kDevice, kPinned, 8192, kOther);
  gpu.copy(CUPTI_ACTIVITY_MEMCPY_KIND_DTOD, kDevice, kDevice, 123, kFirst);
  gpu.copy(CUPTI_ACTIVITY_MEMCPY_KIND_HTOH, kPageable, CUPTI_ACTIVITY_MEMORY_KIND_UNKNOWN, 1,
           kFirst);
  gpu.copy(CUPTI_ACTIVITY_MEMCPY_KIND_HTOD, CUPTI_ACTIVITY_MEMORY_KIND_MANAGED,
           CUPTI_ACTIVITY_MEMORY_KIND_ARRAY, 512, kGreen, 16);
  gpu.copy_between_devices(std::uint64_t{6} << 30);
  gpu.set(255, 1 << 20, kFirst);
  gpu.set(0, 64, kSecond);
}

void wait(Gpu& gpu) {
  const std::uint32_t unused = gpu.create_event();
  const std::uint32_t first = gpu.create_event();
  const std::uint32_t second = gpu.create_event();
  gpu.record_event(second, kSecond);
  gpu.record_event(first, kFirst);
  gpu.record_event(second, kOther);
  gpu.make_wait(kOther, first);
  gpu.wait_for_event(unused, kFirst);
  gpu.wait_for_event(second, kFirst);
  const std::uint32_t elsewhere = gpu.create_event();
  gpu.record_event(elsewhere, kSecond);
  gpu.wait_for_event(elsewhere, kFirst);
  gpu.record_event(first, kGreen);
  gpu.wait_for_event(first, kFirst);
  gpu.wait_for_stream(kGreen);
  gpu.query_stream(kOther);
  gpu.wait_for_device(kFirst);
}

// Two streams are captured: the second joins by waiting for an event of the first.
void capture(Gpu& gpu) {
  constexpr bool kIntoGraph = true;
  const std::uint32_t fork = gpu.create_event();
  const std::uint32_t join = gpu.create_event();
  gpu.begin_capture(kFirst);
  gpu.record_event(fork, kFirst, kIntoGraph);
  gpu.make_wait(kOther, fork);
  gpu.record_event(join, kOther, kIntoGraph);
  gpu.make_wait(kFirst, join);
  gpu.end_capture(kFirst);
  gpu.record_event(join, kOther);
  gpu.wait_for_event(join, kFirst);
}

void use_memory(Gpu& gpu) {
  gpu.allocate(CUPTI_ACTIVITY_MEMORY_KIND_DEVICE, 0x7f1200000000, 1 << 20, nullptr);
  gpu.allocate(CUPTI_ACTIVITY_MEMORY_KIND_PINNED, 0x7f1300000000, 4096, nullptr);
  gpu.allocate(CUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC, 0x7f1400000000, 64, "table");
  gpu.pool(CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_CREATED);
  gpu.allocate_from_pool(0x7f1500000000, 2048, kOther);
  gpu.pool(CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_TRIMMED);
  gpu.pool(CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_DESTROYED);
  gpu.migrate(CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD, 65536);
  gpu.migrate(CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH, 4096);
  gpu.migrate(CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_CPU_PAGE_FAULT_COUNT, 0x401234);
  gpu.migrate(CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT, 9);
}

// A child process after cuInit: CUDA is broken in it, but may be called.
void fork_child() {
  const pid_t child = fork();
  if (child == 0) {
    {
      ApiCall call(CUPTI_CB_DOMAIN_RUNTIME_API,
                   CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020);
      call.result = 3;  // cudaErrorInitializationError
    }
    {
      ApiCall call(CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaDeviceReset_v3020);
      call.result = 3;
    }
    std::exit(0);
  }
  waitpid(child, nullptr, 0);
}

}  // namespace

Json work() {
  // The call is in progress when the tool subscribes, so the tool only sees its end.
  auto* early = new ApiCall(CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020);
  cuInit(0);
  delete early;
  Gpu gpu;
  gpu.set_up();
  ask(gpu);
  compute(gpu);
  move(gpu);
  wait(gpu);
  capture(gpu);
  use_memory(gpu);
  gpu.graph(3, kFirst);
  gpu.host_function(kOther);
  gpu.host_function(kGreen);
  gpu.switch_contexts();
  gpu.overhead(CUPTI_ACTIVITY_OVERHEAD_CUPTI_RESOURCE);
  gpu.overhead(CUPTI_ACTIVITY_OVERHEAD_LAZY_FUNCTION_LOADING);
  gpu.runtime(
      CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020, [](std::uint32_t) {}, 2);  // out of memory
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&gpu] {
      for (int n = 0; n < 100; ++n) gpu.launch("_Z6workerPf", kOther);
    });
  for (std::thread& thread : threads) thread.join();
  fork_child();
  return gpu.answer();
}

}  // namespace fake
