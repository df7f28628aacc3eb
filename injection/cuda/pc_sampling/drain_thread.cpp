// The thread that reads the samples. It exists while contexts are sampled.
#include <linux/futex.h>
#include <time.h>

#include "injection/core/own_thread.hpp"
#include "injection/core/syscalls.hpp"
#include "injection/cuda/pc_sampling/pc_sampling.hpp"

namespace prof::cuda::pc {

namespace {

constexpr long kInterval = 100'000'000;  // ns
constexpr int kStopTries = 2000;         // of 1 ms

constinit std::atomic<std::uint32_t> g_wakes{0};  // a futex
constinit std::atomic<bool> g_stops{false};
constinit std::atomic<int> g_owner{0};  // the process whose thread runs; 0: none

bool goes_on() {
  return !g_stops.load(std::memory_order_acquire) &&
         !core::g_process.sandboxed.load(std::memory_order_relaxed);
}

void* drain_periodically(void* name) {
  core::begin_own_thread(name);
  core::t_state.in_cupti = true;
  const timespec interval{0, kInterval};
  while (goes_on()) {
    core::sys::call(SYS_futex, core::sys::pointer(&g_wakes), FUTEX_WAIT_PRIVATE,
                    g_wakes.load(std::memory_order_relaxed), core::sys::pointer(&interval));
    if (goes_on()) drain();
  }
  core::t_state.in_cupti = false;
  g_owner.store(0, std::memory_order_release);
  return nullptr;
}

}  // namespace

bool start_draining() {
  const int self = core::sys::getpid();
  int owner = g_owner.load(std::memory_order_acquire);
  if (owner == self) return true;
  if (!g_owner.compare_exchange_strong(owner, self, std::memory_order_acq_rel)) return true;
  g_stops.store(false, std::memory_order_release);
  if (core::start_own_thread(drain_periodically, "prof-pc")) return true;
  g_owner.store(0, std::memory_order_release);
  return false;
}

void wake_drain() {
  g_wakes.fetch_add(1, std::memory_order_relaxed);
  core::sys::call(SYS_futex, core::sys::pointer(&g_wakes), FUTEX_WAKE_PRIVATE, INT32_MAX);
}

void stop_draining() {
  const int self = core::sys::getpid();
  g_stops.store(true, std::memory_order_release);
  for (int i = 0; i < kStopTries && g_owner.load(std::memory_order_acquire) == self; ++i) {
    wake_drain();
    core::sys::sleep_ns(1'000'000);
  }
}

}  // namespace prof::cuda::pc
