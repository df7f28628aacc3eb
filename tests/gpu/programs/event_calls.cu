// Every way to record, query and wait for an event or a stream, with the runtime and the driver,
// and also on the second GPU if there is one. Each event and stream is used repeatedly, so a
// profiler that mixes them up is detected. Some of them get names.
#include <cuda.h>
#include <cuda_runtime.h>
#include <nvtx3/nvToolsExtCuda.h>
#include <nvtx3/nvToolsExtCudaRt.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

#define CALL(call, ...)                                                 \
  do {                                                                  \
    const int result = static_cast<int>(call(__VA_ARGS__));             \
    if (result != 0 && result != cudaErrorNotReady) {                   \
      std::fprintf(stderr, "event_calls: " #call " gave %d\n", result); \
      std::exit(1);                                                     \
    }                                                                   \
  } while (false)

__global__ void spin(long long clocks) {
  const long long start = clock64();
  while (clock64() - start < clocks) {
  }
}

namespace {

struct Objects {
  cudaStream_t blocking, non_blocking;
  cudaEvent_t first, second, third;
};

void never_recorded(const Objects& o) {
  CALL(cudaEventQuery, o.first);
  CALL(cudaEventSynchronize, o.first);
  CALL(cudaStreamWaitEvent, o.non_blocking, o.first, 0);
}

void recorded(const Objects& o) {
  CALL(cudaEventRecord, o.third, o.blocking);
  CALL(cudaEventRecord, o.first, o.blocking);
  CALL(cudaEventRecord, o.first, o.non_blocking);
  CALL(cudaEventRecord, o.second, nullptr);
  CALL(cudaEventSynchronize, o.first);
  CALL(cudaEventQuery, o.first);
  CALL(cudaStreamWaitEvent, o.blocking, o.first, 0);
  CALL(cudaStreamWaitEvent, nullptr, o.third, 0);
}

void busy(const Objects& o) {
  spin<<<1, 1, 0, o.blocking>>>(200'000'000);
  CALL(cudaStreamQuery, o.blocking);
  CALL(cudaEventRecord, o.third, o.blocking);
  CALL(cudaEventQuery, o.third);
  CALL(cudaEventSynchronize, o.third);
  CALL(cudaStreamQuery, o.blocking);
}

void special_streams(const Objects& o) {
  CALL(cudaStreamSynchronize, nullptr);
  CALL(cudaStreamSynchronize, cudaStreamPerThread);
  CALL(cudaStreamSynchronize, cudaStreamLegacy);
  CALL(cudaEventRecord, o.first, cudaStreamPerThread);
  CALL(cudaEventRecordWithFlags, o.first, o.blocking, 0);
  CALL(cudaDeviceSynchronize);
}

void by_driver(const Objects& o) {
  CALL(cuStreamSynchronize, o.blocking);
  CALL(cuCtxSynchronize);
  CALL(cuEventRecord, o.first, o.non_blocking);
  CALL(cuEventSynchronize, o.first);
  CALL(cuEventQuery, o.first);
  CALL(cuStreamWaitEvent, o.blocking, o.first, 0);
  CALL(cuStreamQuery, o.blocking);
}

void captured(const Objects& o) {
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  CALL(cudaStreamBeginCapture, o.blocking, cudaStreamCaptureModeGlobal);
  CALL(cudaEventRecord, o.first, o.blocking);
  CALL(cudaStreamWaitEvent, o.non_blocking, o.first, 0);
  spin<<<1, 1, 0, o.non_blocking>>>(10);
  CALL(cudaEventRecord, o.second, o.non_blocking);
  CALL(cudaStreamWaitEvent, o.blocking, o.second, 0);
  CALL(cudaStreamEndCapture, o.blocking, &graph);
  CALL(cudaGraphInstantiate, &executable, graph, 0);
  CALL(cudaGraphLaunch, executable, o.blocking);
  CALL(cudaStreamSynchronize, o.blocking);
  CALL(cudaEventRecord, o.second, o.blocking);
  CALL(cudaEventSynchronize, o.second);
  CALL(cudaGraphExecDestroy, executable);
  CALL(cudaGraphDestroy, graph);
}

void destroyed(Objects& o) {
  for (int i = 0; i < 5; ++i) {  // handles are reused
    CALL(cudaEventDestroy, o.first);
    CALL(cudaEventCreate, &o.first);
    CALL(cudaEventRecord, o.first, o.blocking);
    CALL(cudaEventSynchronize, o.first);
  }
}

void on_another_thread(const Objects& o) {
  std::thread([&o] {
    CALL(cudaStreamSynchronize, cudaStreamPerThread);
    CALL(cudaEventRecord, o.first, cudaStreamPerThread);
    CALL(cudaEventSynchronize, o.first);
  }).join();
}

void on_another_gpu(const Objects& o) {
  int devices = 0;
  CALL(cudaGetDeviceCount, &devices);
  if (devices < 2) return;
  cudaStream_t stream;
  cudaEvent_t event;
  CALL(cudaSetDevice, 1);
  CALL(cudaStreamCreate, &stream);
  CALL(cudaEventCreate, &event);
  CALL(cudaEventRecord, event, stream);
  CALL(cudaEventRecord, event, nullptr);
  CALL(cudaStreamWaitEvent, o.blocking, event, 0);
  CALL(cudaStreamSynchronize, o.blocking);
  CALL(cudaEventSynchronize, o.first);
  CALL(cudaDeviceSynchronize);
  CALL(cudaSetDevice, 0);
  CALL(cudaStreamSynchronize, stream);
  CALL(cudaDeviceSynchronize);
}

}  // namespace

int main() {
  Objects o;
  CALL(cudaStreamCreate, &o.blocking);
  CALL(cudaStreamCreateWithFlags, &o.non_blocking, cudaStreamNonBlocking);
  nvtxNameCudaDeviceA(0, "the first GPU");
  nvtxNameCudaStreamA(o.blocking, "blocking");
  nvtxNameCudaStreamW(o.non_blocking, L"non-blocking");
  CUcontext context = nullptr;
  CALL(cuCtxGetCurrent, &context);
  nvtxNameCuContextA(context, "the context");
  nvtxNameCuStreamA(nullptr, "the default stream");
  for (cudaEvent_t* event : {&o.first, &o.second, &o.third}) CALL(cudaEventCreate, event);
  never_recorded(o);
  recorded(o);
  busy(o);
  special_streams(o);
  by_driver(o);
  captured(o);
  destroyed(o);
  on_another_thread(o);
  on_another_gpu(o);
  CALL(cudaDeviceSynchronize);
  std::puts("{}");
}
