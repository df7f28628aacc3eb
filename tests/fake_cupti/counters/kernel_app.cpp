// fake_kernel_app: launches kernels that change memory in place, for prof kernel. Each argument is
// done in order, and the memory is printed at the end.
//
//   NAME*COUNT[@BLOCKS]  launches of a kernel (mangled name), with 4 blocks of 32 threads
//
//   graph                a graph of three kernels
//
//   capture:NAME         a launch into a graph that is being captured
//
//   capture_of_thread:NAME  the same on the thread's default stream, in a program compiled for it
//
//   thread:NAME*COUNT    launches on another thread, beside those that follow
//
//   own, own_end         the program's own use of the range profiler begins and ends
//
//   push:[DOMAIN@]NAME   begins an NVTX range; "pop" or "pop:DOMAIN" ends it
//
//   wait:PATH            a launch of a kernel that runs until there is such a file
//
//   wait_on_thread:PATH  the same on another thread, beside what follows
//
//   touch:PATH           makes a file
//
//   killed               a signal ends the program as soon as the counters are not started
//
//   exit:STATUS          ends the program
#include <cuda.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#endif

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "counters/gpu_samples.hpp"
#include "counters/kernel_launch.hpp"
#include "counters/ranges.hpp"
#include "counters/sass_metrics.hpp"
#include "fake_cupti.hpp"

// The driver's answer to cuStreamIsCapturing.
extern "C" void fake_set_capturing(int is_capturing, CUstream stream);

namespace {

CUpti_RangeProfiler_Object* g_own;

// Prints CUPTI's answer.
void begin_own() {
  CUpti_RangeProfiler_Enable_Params parameters{};
  const CUptiResult result = cuptiRangeProfilerEnable(&parameters);
  if (result == CUPTI_SUCCESS) g_own = parameters.pRangeProfilerObject;
  std::printf("own %d\n", static_cast<int>(result));
}

void end_own() {
  CUpti_RangeProfiler_Disable_Params parameters{};
  parameters.pRangeProfilerObject = g_own;
  if (g_own != nullptr) cuptiRangeProfilerDisable(&parameters);
}

std::uint64_t g_memory[8];

// The bytes are there during the callback only.
void load_module() {
  std::vector<char> cubin(40'000, 'c');
  fake::set_code_of_kernels(fake::crc_of(cubin.data(), cubin.size()));
  CUpti_ModuleResourceData module{};
  module.cubinSize = cubin.size();
  module.pCubin = cubin.data();
  fake::resource(CUPTI_CBID_RESOURCE_MODULE_LOADED, nullptr, &module);
  std::fill(cubin.begin(), cubin.end(), '\0');
}

// Depends on what is in the memory, so a kernel that runs twice without a restore is noticed.
void change_memory() {
  static std::mutex lock;
  const std::lock_guard one_at_a_time(lock);
  for (std::uint64_t& word : g_memory) word = word * 3 + 1;
}

void launch(const std::string& name, unsigned int blocks,
            const std::function<void()>& kernel = change_memory) {
  fake::launch_kernel(name.c_str(), blocks, kernel);
}

// A kernel that runs until there is such a file.
void launch_waiting(const std::string& path, std::atomic<bool>& has_begun) {
  launch("_Z4waitv", 1, [&] {
    has_begun = true;
    while (!std::filesystem::exists(path))
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
  });
}

// Returns when the thread's kernel runs.
std::thread wait_on_thread(const std::string& path) {
  static std::atomic<bool> has_begun;
  std::thread thread([path] { launch_waiting(path, has_begun); });
  while (!has_begun) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return thread;
}

void launch_graph() {
  const fake::ApiCall runtime(CUPTI_CB_DOMAIN_RUNTIME_API,
                              CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000);
  const fake::ApiCall driver(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch);
  for (int node = 0; node < 3; ++node) fake::run_kernel(1, 32, true, change_memory);
}

// While a stream is captured, the driver allows nothing that waits for the GPU.
void begin_capture(CUstream stream) {
  const fake::ApiCall driver(CUPTI_CB_DOMAIN_DRIVER_API,
                             CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2);
  if (fake::is_counting()) std::abort();
  fake_set_capturing(1, stream);
}

// The toolkit has NVTX's headers, but not each place where CUPTI's are.
#ifdef NVTX_VERSION
void push(const std::string& word) {
  const std::size_t at = word.find('@');
  if (at == std::string::npos) {
    nvtxRangePushA(word.c_str());
    return;
  }
  const std::string name = word.substr(at + 1);
  nvtxEventAttributes_t event{};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.messageType = NVTX_MESSAGE_TYPE_ASCII;
  event.message.ascii = name.c_str();
  nvtxDomainRangePushEx(nvtxDomainCreateA(word.substr(0, at).c_str()), &event);
}
void pop(const std::string& domain) {
  if (domain.empty())
    nvtxRangePop();
  else
    nvtxDomainRangePop(nvtxDomainCreateA(domain.c_str()));
}
#else
void push(const std::string&) { std::printf("no NVTX\n"); }
void pop(const std::string&) {}
#endif

void launch_many(const std::string& word) {
  const std::size_t star = word.find('*');
  const std::size_t at = word.find('@');
  const int count = star == std::string::npos ? 1 : std::atoi(word.c_str() + star + 1);
  const auto blocks =
      static_cast<unsigned int>(at == std::string::npos ? 4 : std::atoi(word.c_str() + at + 1));
  for (int i = 0; i < count; ++i) launch(word.substr(0, std::min(star, at)), blocks);
}

bool take_prefix(std::string& word, const std::string& prefix) {
  if (!word.starts_with(prefix)) return false;
  word.erase(0, prefix.size());
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  cuInit(0);
  fake::set_device_memory(g_memory, sizeof g_memory);
  load_module();
  std::vector<std::thread> threads;
  int status = 0;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    if (word == "own") {
      begin_own();
    } else if (word == "own_end") {
      end_own();
    } else if (word == "graph") {
      launch_graph();
    } else if (take_prefix(word, "capture:")) {
      begin_capture(nullptr);
      launch(word, 4);
      fake_set_capturing(0, nullptr);
    } else if (take_prefix(word, "capture_of_thread:")) {
      begin_capture(CU_STREAM_PER_THREAD);
      fake::launch_kernel(word.c_str(), 4, change_memory,
                          CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz);
      fake_set_capturing(0, nullptr);
    } else if (take_prefix(word, "wait:")) {
      std::atomic<bool> has_begun;
      launch_waiting(word, has_begun);
    } else if (take_prefix(word, "wait_on_thread:")) {
      threads.push_back(wait_on_thread(word));
    } else if (word == "killed") {
      while (fake::is_counting()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
      std::raise(SIGKILL);
    } else if (take_prefix(word, "touch:")) {
      std::ofstream{word};
    } else if (take_prefix(word, "push:")) {
      push(word);
    } else if (word == "pop" || take_prefix(word, "pop:")) {
      pop(word == "pop" ? "" : word);
    } else if (take_prefix(word, "thread:")) {
      threads.emplace_back(launch_many, word);
    } else if (take_prefix(word, "exit:")) {
      status = std::atoi(word.c_str());
    } else {
      launch_many(word);
    }
  }
  for (std::thread& thread : threads) thread.join();
  std::printf("memory %llu\n", static_cast<unsigned long long>(g_memory[0]));
  return status;
}
