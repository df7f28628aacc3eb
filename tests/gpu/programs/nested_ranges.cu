// NVTX ranges of both kinds, nested each way around kernels, and ranges without an end. Prints the number of
// kernels and of ranges of each kind.
#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

namespace {

int kernels, pushed, started;

__global__ void add(float* data) { data[threadIdx.x] += 1; }

float* data;

void launch() {
  add<<<1, 32>>>(data);
  if (cudaGetLastError() != cudaSuccess) std::exit(1);
  ++kernels;
}

void push(const std::string& name) {
  nvtxRangePushA(name.c_str());
  ++pushed;
}
void pop() { nvtxRangePop(); }
nvtxRangeId_t start(const std::string& name) {
  ++started;
  return nvtxRangeStartA(name.c_str());
}

void start_in_push() {
  push("push around start");
  const nvtxRangeId_t range = start("start in push");
  launch();
  nvtxRangeEnd(range);
  pop();
}

void push_in_start() {
  const nvtxRangeId_t epoch = start("start around pushes");
  for (int i = 0; i < 3; ++i) {
    push("batch " + std::to_string(i));
    launch();
    push("layer");
    launch();
    pop();
    pop();
  }
  nvtxRangeEnd(epoch);
}

void alternating() {
  const nvtxRangeId_t outer = start("alternating start 1");
  push("alternating push 1");
  const nvtxRangeId_t inner = start("alternating start 2");
  push("alternating push 2");
  launch();
  pop();
  nvtxRangeEnd(inner);
  launch();
  pop();
  nvtxRangeEnd(outer);
}

void overlapping() {
  const nvtxRangeId_t first = start("overlapping 1");
  launch();
  const nvtxRangeId_t second = start("overlapping 2");
  launch();
  nvtxRangeEnd(first);
  launch();
  nvtxRangeEnd(second);
}

void crossing() {
  push("crossed push");
  const nvtxRangeId_t range = start("start that crosses a pop");
  launch();
  pop();
  launch();
  nvtxRangeEnd(range);
}

void across_threads() {
  nvtxRangeId_t range = 0;
  std::thread([&] {
    range = start("start of another thread");
    launch();
  }).join();
  launch();
  nvtxRangeEnd(range);
}

void of_a_domain() {
  nvtxDomainHandle_t domain = nvtxDomainCreateA("domain");
  nvtxEventAttributes_t text{};
  text.version = NVTX_VERSION;
  text.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  text.messageType = NVTX_MESSAGE_TYPE_ASCII;
  text.message.ascii = "in a domain";
  push("around a domain");
  nvtxDomainRangePushEx(domain, &text);
  const nvtxRangeId_t range = nvtxDomainRangeStartEx(domain, &text);
  ++pushed, ++started;
  launch();
  nvtxDomainRangeEnd(domain, range);
  nvtxDomainRangePop(domain);
  pop();
}

void open_ranges() {
  start("start without end");
  launch();
  push("push without pop");
  launch();
  std::thread([] {
    push("push without pop of a thread that ended");
    launch();
  }).join();
}

}  // namespace

int main() {
  if (cudaMalloc(&data, 4096) != cudaSuccess) return 1;
  for (auto part : {start_in_push, push_in_start, alternating, overlapping, crossing, across_threads, of_a_domain, open_ranges}) {
    part();
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  std::printf("{\"kernels\": %d, \"pushed\": %d, \"started\": %d}\n", kernels, pushed, started);
  return 0;
}
