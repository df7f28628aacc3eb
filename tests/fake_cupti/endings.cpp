#include <cuda.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

#include "modes.hpp"

namespace fake {

namespace {

constexpr int kLaunches = 20;
constexpr int kSetUp = 10;  // devices, contexts, streams

void launch_some(Gpu& gpu) {
  for (int i = 0; i < kLaunches; ++i) gpu.launch("_Z5saxpyfPfi", kFirst);
}

void print(const Gpu& gpu) {
  std::puts(gpu.answer().dump().c_str());
  std::fflush(stdout);
}

void wait_until_delivered(std::size_t records) {
  for (int tries = 0; tries < 1000 && delivered_records() < records; ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

// The GPU has not finished, so the record of its work is not finished either.
void leave_unfinished(Gpu& gpu) {
  auto running = gpu.kernel("_Z7foreverv", kFirst, 9999);
  running.start = running.end = 0;
  static UnfinishedKernel kept(running);
}

void reset_device(Gpu& gpu) {
  gpu.runtime(CUPTI_RUNTIME_TRACE_CBID_cudaDeviceReset_v3020, [](std::uint32_t) {});
}

void start_profiler(Gpu& gpu) {
  gpu.runtime(CUPTI_RUNTIME_TRACE_CBID_cudaProfilerStart_v4000, [](std::uint32_t) {});
}

void stop_profiler(Gpu& gpu) {
  gpu.runtime(CUPTI_RUNTIME_TRACE_CBID_cudaProfilerStop_v4000, [](std::uint32_t) {});
}

[[noreturn]] void die() {
  raise(SIGKILL);
  std::abort();
}

// There is no memory for another thread. The memory of an ended thread is too small.
void forbid_threads() {
  const rlimit none{1, 1};
  setrlimit(RLIMIT_AS, &none);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_t thread;
  if (pthread_create(
          &thread, &attributes, [](void*) -> void* { return nullptr; }, nullptr) == 0)
    std::abort();
}

int fork_and_return() {
  const pid_t child = fork();
  if (child == 0) std::exit(0);
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

}  // namespace

int end_by(const std::string& ending) {
  if (ending == "never_init") return 0;
  if (ending == "init_elsewhere")  // on a thread with a higher id than the one that exits
    std::thread([] { cuInit(0); }).join();
  cuInit(0);
  static Gpu& gpu = *new Gpu;
  gpu.set_up();
  launch_some(gpu);
  if (ending == "profiler_range") {  // the same work before, inside and after the range
    start_profiler(gpu);
    launch_some(gpu);
    stop_profiler(gpu);
    launch_some(gpu);
  }
  if (ending == "unfinished") leave_unfinished(gpu);
  if (ending == "device_reset") {
    reset_device(gpu);
    const std::size_t so_far = delivered_records();
    gpu.set_up();
    launch_some(gpu);
    gpu.expect("DELIVERED", so_far);
    print(gpu);
    return 0;
  }
  if (ending == "profiler_stop") stop_profiler(gpu);
  if (ending == "sync_kill9") gpu.wait_for_device(kFirst);
  if (ending == "interval_kill9") wait_until_delivered(kLaunches + kSetUp);
  print(gpu);
  if (ending == "no_threads") forbid_threads();
  if (ending == "_exit") _exit(3);
  if (ending == "quick_exit") quick_exit(4);
  if (ending == "exec") execl("/bin/true", "true", nullptr);
  if (ending == "abort") std::abort();
  if (ending == "fork") return fork_and_return();
  if (ending == "thread_exit") std::thread([] { std::exit(5); }).join();
  if (ending.ends_with("kill9") || ending == "profiler_stop") die();
  return 0;
}

}  // namespace fake
