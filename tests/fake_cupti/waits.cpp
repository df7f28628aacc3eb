// Threads that wait for the GPU: one in a system call of the driver, the other in an OS-runtime
// call. They do nothing else.
#include <cuda.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <ctime>
#include <thread>

#include "injection/core/machine/machine.hpp"
#include "modes.hpp"

namespace fake {

namespace {

constexpr int kMilliseconds = 250;

// Without the C library, as a driver may do.
void sleep_in_kernel() {
  std::uint32_t word = 0;
  const timespec time{0, kMilliseconds * 1'000'000L};
  prof::core::machine::system_call(SYS_futex, reinterpret_cast<long>(&word), FUTEX_WAIT_PRIVATE, 0,
                                   reinterpret_cast<long>(&time), 0, 0);
}

Json row(const char* caller, const char* function, std::uint64_t begin) {
  return {{"caller", caller}, {"function", function}, {"tid", gettid()}, {"waited", now() - begin}};
}

}  // namespace

extern "C" [[gnu::noinline]] Json waits_for_stream(Gpu& gpu) {
  const std::uint64_t begin = now();
  gpu.runtime_over_driver(CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020,
                          CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize,
                          [](std::uint32_t) { sleep_in_kernel(); });
  return row("waits_for_stream", "cudaStreamSynchronize", begin);
}

extern "C" [[gnu::noinline]] Json waits_for_device(Gpu& gpu) {
  const std::uint64_t begin = now();
  gpu.runtime_over_driver(CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020,
                          CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize,
                          [](std::uint32_t) { poll(nullptr, 0, kMilliseconds); });
  return row("waits_for_device", "cudaDeviceSynchronize", begin);
}

Json waits() {
  cuInit(0);
  Gpu gpu;
  gpu.set_up();
  Json answer = Json::array({nullptr, nullptr});
  std::thread first([&] { answer[0] = waits_for_stream(gpu); });
  first.join();
  std::thread second([&] { answer[1] = waits_for_device(gpu); });
  second.join();
  return answer;
}

Json serve(double seconds, bool migrates) {
  cuInit(0);
  Gpu gpu;
  gpu.set_up();
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  std::uint32_t kernels = 0;
  while (Clock::now() < end) {
    gpu.launch("_Z5servePfi", kFirst, ++kernels);
    if (migrates)
      gpu.migrate(CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD, kernels);
    std::this_thread::sleep_for(std::chrono::microseconds(500));
  }
  return kernels;
}

// Kernels, as above. Each line of the input is a command: "wait", "fail", "idle".
Json obey() {
  cuInit(0);
  Gpu gpu;
  gpu.set_up();
  std::uint32_t kernels = 0;
  pollfd input{STDIN_FILENO, POLLIN, 0};
  for (char command[64];;) {
    gpu.launch("_Z5servePfi", kFirst, ++kernels);
    if (poll(&input, 1, 1) != 1) continue;
    const ssize_t bytes = read(STDIN_FILENO, command, sizeof command);
    if (bytes <= 0) return kernels;
    if (command[0] == 'w') waits_for_stream(gpu);
    if (command[0] == 'i') std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    if (command[0] == 'f')
      gpu.runtime(
          CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020, [](std::uint32_t) {}, 2);
  }
}

}  // namespace fake
