// A client that has all calls recorded comes and goes while threads make calls of every sort.
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "gpu.hpp"
#include "scenarios.hpp"
#include "user.hpp"

namespace fake {

namespace {

using std::chrono::milliseconds;

constexpr int kDriver = CUPTI_ACTIVITY_KIND_DRIVER;
constexpr auto kLaunch = CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000;

bool is_called_back() { return listens(CUPTI_CB_DOMAIN_RUNTIME_API, kLaunch); }

bool wait_until_called_back(bool wanted) {
  for (int i = 0; i < 4000 && is_called_back() != wanted; ++i)
    std::this_thread::sleep_for(milliseconds(5));
  return is_called_back() == wanted;
}

void load_code() {
  const ApiCall call(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadData);
}

// A query that loads code. It has no row, so the driver call inside has none.
void query_that_loads() {
  const ApiCall call(CUPTI_CB_DOMAIN_RUNTIME_API,
                     CUPTI_RUNTIME_TRACE_CBID_cudaFuncGetAttributes_v3020);
  load_code();
}

void work(Gpu& gpu, int thread) {
  gpu.launch("_Z5saxpyfPfi", kFirst);
  gpu.launch_by_driver("_Z6reducePf", kOther);
  gpu.copy(CUPTI_ACTIVITY_MEMCPY_KIND_HTOD, CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE,
           CUPTI_ACTIVITY_MEMORY_KIND_DEVICE, 4096, kFirst);
  query_that_loads();
  gpu.driver(CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadData, [](std::uint32_t) {});
  gpu.wait_for_stream(kFirst);
  // A launch that loads code and fails; that of one thread waits for room.
  gpu.runtime(
      CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060,
      [&](std::uint32_t) {
        load_code();
        if (thread == 0) std::this_thread::sleep_for(milliseconds(30));
      },
      700);
  std::this_thread::sleep_for(milliseconds(1));
}

}  // namespace

Json recorded_calls() {
  StartedGpu gpu;
  User& user = User::create(0, "fake_client_0.so");
  User& other = User::create(1, "fake_client_1.so");
  user.subscribe();
  for (User* each : {&user, &other}) each->register_callbacks();
  std::atomic<bool> over = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&, i] {
      while (!over) work(gpu, i);
    });
  std::vector<bool> on;
  std::vector<bool> off;
  for (int round = 0; round < 6; ++round) {
    // The client's wish counts for its own records only.
    const auto filter = [&] {
      user.must(user.cupti().cuptiActivityEnableRuntimeApi(kLaunch, 0), "filter");
    };
    user.enable({kKernel, kRuntime});
    if (round == 4) filter();
    user.enable({kDriver});
    if (round == 1) filter();
    if (round == 2) other.enable({kRuntime});
    if (round % 2 == 0) on.push_back(wait_until_called_back(false));
    // The main thread is known to CUPTI's clients although it has made no other calls.
    if (round == 0) gpu.launch("_Z4mainv", kFirst);
    std::this_thread::sleep_for(milliseconds(round % 2 == 0 ? 30 : 3));
    user.disable({kKernel, kRuntime, kDriver});
    off.push_back(is_called_back());
    if (round == 3) other.disable({kRuntime});
    // In the second half of the rounds CUPTI has stopped recording before the next one.
    if (round >= 3) std::this_thread::sleep_for(milliseconds(1200));
    user.flush();
  }
  over = true;
  for (std::thread& thread : threads) thread.join();
  const bool is_recorded = is_enabled(CUPTI_ACTIVITY_KIND_RUNTIME);
  for (User* each : {&user, &other}) each->flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  Json answer = {user.answer(), other.answer()};
  answer[0]["calls"] = gpu.answer()["RUNTIME"];
  answer[0]["on"] = on;
  answer[0]["off"] = off;
  answer[0]["is_recorded"] = is_recorded;
  return answer;
}

}  // namespace fake
