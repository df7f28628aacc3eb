// Many short kernels, one long one, and then an end of each kind that a profiler must survive.
//   long_kernel [--end=HOW] [--seconds S] [--short N]
// HOW: return        wait for everything, then return from main without cleaning up
//      kill9         SIGKILL while the long kernel runs
//      _exit         _exit(0) while the long kernel runs
//      sleep         wait to be killed (SIGTERM) while the long kernel runs, and after it
//      illegal       an illegal access; the error is seen and the exit status is 3
//      reset         cudaDeviceReset, then as much work again in a new context
//      profilerstop  only the middle third is between cudaProfilerStart and cudaProfilerStop
// The output lists work that was launched, or had certainly finished, when it was printed.
#include <cuda_profiler_api.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

#include "known/tally.cuh"

namespace {

__global__ void tick(unsigned long long* ticks) { atomicAdd(ticks, 1ULL); }

// Sets `running`, in host memory, when it has started.
__global__ void spin(unsigned long long nanoseconds, volatile int* running) {
  unsigned long long begin, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  *running = 1;
  __threadfence_system();
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - begin < nanoseconds);
}

__global__ void illegal_write(volatile int* nowhere) { *nowhere = 1; }

struct Options {
  std::string end = "return";
  double seconds = 2;
  int short_kernels = 1000;
};

struct Device {
  cudaStream_t stream = nullptr;
  unsigned long long* ticks = nullptr;
  int* running = nullptr;
  unsigned long long expected = 0;  // ticks
};

tally::Counts g_launched, g_finished, g_in_range, g_syncs;
bool g_range_open = false;

void launched(const char* kernel) {
  CALL(cudaGetLastError);
  tally::called("cudaLaunchKernel");
  ++g_launched[kernel];
  if (g_range_open) ++g_in_range[kernel];
}

Device set_up() {
  Device device;
  CALL(cudaSetDevice, 0);
  CALL(cudaStreamCreateWithFlags, &device.stream, cudaStreamNonBlocking);
  CALL(cudaMalloc, &device.ticks, sizeof *device.ticks);
  CALL(cudaHostAlloc, &device.running, sizeof *device.running, cudaHostAllocMapped);
  CALL(cudaMemsetAsync, device.ticks, 0, sizeof *device.ticks, device.stream);
  return device;
}

// Waits until everything launched so far has finished.
void wait(const Device& device) {
  CALL(cudaStreamSynchronize, device.stream);
  ++g_syncs["stream"];
  g_finished = g_launched;
}

void run_ticks(Device& device, int count) {
  for (int i = 0; i < count; ++i) {
    tick<<<1, 1, 0, device.stream>>>(device.ticks);
    launched("tick");
  }
  wait(device);
  unsigned long long ticks = 0;
  CALL(cudaMemcpy, &ticks, device.ticks, sizeof ticks, cudaMemcpyDeviceToHost);
  device.expected += static_cast<unsigned>(count);
  REQUIRE(ticks == device.expected);
}

// Returns once the kernel runs.
void start_spin(const Device& device, double seconds) {
  volatile int* const running = device.running;
  *running = 0;
  int* seen_by_kernel = nullptr;
  CALL(cudaHostGetDevicePointer, &seen_by_kernel, device.running, 0);
  spin<<<1, 1, 0, device.stream>>>(static_cast<unsigned long long>(seconds * 1e9), seen_by_kernel);
  launched("spin");
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (*running == 0) {
    REQUIRE(std::chrono::steady_clock::now() < patience);
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

void print(const Options& options, const char* error) {
  tally::Answer answer;
  answer.add("pid", getpid());
  answer.add("end", tally::quoted(options.end));
  answer.add("seconds", std::to_string(options.seconds));
  answer.add("kernels", tally::json(g_launched));
  answer.add("kernels_finished", tally::json(g_finished));
  if (options.end == "profilerstop") answer.add("in_range", tally::json(g_in_range));
  if (error != nullptr) answer.add("error", tally::quoted(error));
  answer.add("syncs", tally::json(g_syncs));
  answer.add("runtime_calls", tally::json(tally::g_calls));
  answer.print();
}

int end_by_illegal_access(const Options& options, const Device& device) {
  wait(device);
  // Far from all mapped memory: a null page might be mapped one day.
  illegal_write<<<1, 1, 0, device.stream>>>(reinterpret_cast<int*>(0x0123'4567'8000ULL));
  launched("illegal_write");
  const cudaError_t status = cudaStreamSynchronize(device.stream);
  tally::called("cudaStreamSynchronize");
  ++g_syncs["stream"];
  print(options, cudaGetErrorName(status));
  return status == cudaErrorIllegalAddress ? 3 : 1;
}

void work_in_range(const Options& options, Device& device) {
  run_ticks(device, options.short_kernels);
  CALL(cudaProfilerStart);
  g_range_open = true;
  run_ticks(device, options.short_kernels);
  start_spin(device, options.seconds);
  wait(device);
  g_range_open = false;
  CALL(cudaProfilerStop);
  run_ticks(device, options.short_kernels);
}

int finish(const Options& options, Device& device) {
  const std::string& end = options.end;
  if (end == "illegal") return end_by_illegal_access(options, device);
  if (end == "return" || end == "reset") wait(device);
  if (end == "reset") {
    CALL(cudaDeviceReset);
    device = set_up();
    run_ticks(device, options.short_kernels);
  }
  print(options, nullptr);
  if (end == "kill9") raise(SIGKILL);
  if (end == "_exit") _exit(0);
  while (end == "sleep") pause();
  return 0;
}

bool parse(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    if (std::strncmp(argv[i], "--end=", 6) == 0) {
      options.end = argv[i] + 6;
    } else if (std::strcmp(argv[i], "--seconds") == 0 && i + 1 < argc) {
      options.seconds = std::atof(argv[++i]);
    } else if (std::strcmp(argv[i], "--short") == 0 && i + 1 < argc) {
      options.short_kernels = std::atoi(argv[++i]);
    } else {
      return false;
    }
  }
  bool known = false;
  for (const char* end : {"return", "kill9", "_exit", "sleep", "illegal", "reset", "profilerstop"})
    known = known || options.end == end;
  return known && options.seconds > 0 && options.seconds <= 60 && options.short_kernels > 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    std::fprintf(stderr,
                 "usage: %s [--end=return|kill9|_exit|sleep|illegal|reset|profilerstop]"
                 " [--seconds S] [--short N]\n",
                 argv[0]);
    return 2;
  }
  Device device = set_up();
  if (options.end == "profilerstop") {
    work_in_range(options, device);
  } else {
    run_ticks(device, options.short_kernels);
    start_spin(device, options.seconds);
  }
  return finish(options, device);
}
