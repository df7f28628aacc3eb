// fake_cuda_names: names CUDA objects with all naming functions of NVTX. Prints the rows that a
// report must have for them.
#include <cuda.h>
#include <nvtx3/nvToolsExtCuda.h>
#include <nvtx3/nvToolsExtCudaRt.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "gpu.hpp"

namespace fake {

namespace {

Context g_first{{kFirst.context}};
Context g_second{{kSecond.context}};
Context g_green{{kGreen.context}};
Stream g_other{{kOther.stream}, &g_first};
Stream g_on_second{{21}, &g_second};
Stream g_on_green{{kGreen.stream}, &g_green};

CUcontext handle(Context& context) { return reinterpret_cast<CUcontext>(&context); }
CUstream handle(Stream& stream) { return reinterpret_cast<CUstream>(&stream); }

void name_before_cuda() {
  nvtxNameCudaDeviceA(0, "early");
  nvtxNameCuContextA(handle(g_first), "too early");
  nvtxNameCuStreamA(handle(g_other), "too early");
}

void name_devices(Gpu& gpu) {
  nvtxNameCudaDeviceA(1, "replaced");
  nvtxNameCudaDeviceW(1, L"replaced too");
  nvtxNameCuDeviceA(1, "replaced again");
  nvtxNameCuDeviceW(1, L"evaluación");
  gpu.expect("DEVICE", {{"name", "early"}, {"deviceId", 0}});
  gpu.expect("DEVICE", {{"name", "evaluación"}, {"deviceId", 1}});
}

void name_contexts(Gpu& gpu) {
  nvtxNameCuContextA(handle(g_first), "training");
  nvtxNameCuContextW(handle(g_second), L"serving");
  nvtxNameCuContextA(handle(g_green), "a part");
  nvtxNameCuContextA(nullptr, "nothing");
  const auto expect = [&](const char* name, Place at) {
    gpu.expect("CONTEXT", {{"name", name},
                           {"deviceId", at.device},
                           {"contextId", at.context},
                           {"processId", getpid()}});
  };
  expect("training", kFirst);
  expect("serving", kSecond);
  expect("a part", kGreen);
}

void name_streams(Gpu& gpu) {
  nvtxNameCudaStreamA(nullptr, "of no context");
  cuCtxSetCurrent(handle(g_first));
  nvtxNameCudaStreamA(nullptr, "default");
  nvtxNameCuStreamA(handle(g_other), "replaced");
  nvtxNameCudaStreamW(handle(g_on_second), L"of another context");
  nvtxNameCuStreamW(handle(g_on_green), L"of a part");
  std::thread([] { nvtxNameCudaStreamA(handle(g_other), "copies"); }).join();
  const auto expect = [&](const char* name, Place at) {
    gpu.expect("STREAM", {{"name", name},
                          {"deviceId", at.device},
                          {"contextId", at.context},
                          {"streamId", at.stream},
                          {"processId", getpid()}});
  };
  expect("default", kFirst);
  expect("copies", kOther);
  expect("of another context", {kSecond.device, kSecond.context, 21});
  expect("of a part", kGreen);
}

// CUDA does not work in this process, and CUPTI must not be called.
void name_in_fork_child() {
  const pid_t child = fork();
  if (child == 0) {
    nvtxNameCuContextA(handle(g_first), "of a child");
    nvtxNameCuStreamA(handle(g_other), "of a child");
    std::exit(0);
  }
  waitpid(child, nullptr, 0);
}

}  // namespace

}  // namespace fake

// With an argument, launches kernels for that many seconds.
int main(int argc, char** argv) {
  using namespace fake;
  name_before_cuda();
  cuInit(0);
  Gpu gpu;
  gpu.set_up();
  name_devices(gpu);
  name_contexts(gpu);
  name_streams(gpu);
  name_in_fork_child();
  gpu.runtime(CUPTI_RUNTIME_TRACE_CBID_cudaProfilerStart_v4000, [](std::uint32_t) {});
  gpu.launch("_Z5saxpyfPfi", kFirst);
  gpu.runtime(CUPTI_RUNTIME_TRACE_CBID_cudaProfilerStop_v4000, [](std::uint32_t) {});
  for (double left = argc > 1 ? std::atof(argv[1]) : 0; left > 0; left -= 1e-3) {
    gpu.launch("_Z5saxpyfPfi", kFirst);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::puts(gpu.answer().dump().c_str());
  return 0;
}
