// Periodic flushes. CUPTI makes them itself as long as it has one subscriber; with several, this
// thread makes them, for our tracer and for clients that ask for a period.
#include <linux/futex.h>
#include <time.h>

#include <algorithm>

#include "injection/core/own_thread.hpp"
#include "injection/core/process_state.hpp"
#include "injection/core/syscalls.hpp"
#include "injection/cuda/clients/lock.hpp"
#include "injection/cuda/scoped.hpp"
#include "injection/cuda/state.hpp"

namespace prof::cuda {

namespace {

constinit clients::Lock g_timer_lock{};  // guards the periods, and the start of the thread
std::uint32_t g_periods[kFlushUsers];
bool g_has_thread;
constinit std::atomic<std::uint32_t> g_period{0};  // ms, a futex; 0: no flushes
constinit std::atomic<bool> g_stopped{false};
constinit std::atomic<bool> g_is_flushing{false};

// Waits for the period, or until it changes. Returns whether a flush is due.
bool wait_for_period(std::uint32_t period) {
  const timespec time{period / 1000, static_cast<long>(period % 1000) * 1'000'000};
  core::sys::call(SYS_futex, core::sys::pointer(&g_period), FUTEX_WAIT_PRIVATE, period,
                  core::sys::pointer(period == 0 ? nullptr : &time));
  return period != 0 && g_period.load(std::memory_order_relaxed) == period;
}

void flush_once() {
  g_is_flushing.store(true, std::memory_order_seq_cst);
  if (!g_stopped.load(std::memory_order_seq_cst)) flush_buffers(Flush::kFinished);
  g_is_flushing.store(false, std::memory_order_seq_cst);
}

void* flush_periodically(void* name) {
  core::begin_own_thread(name);
  while (!g_stopped.load(std::memory_order_seq_cst) &&
         !core::g_process.sandboxed.load(std::memory_order_relaxed))
    if (wait_for_period(g_period.load(std::memory_order_relaxed))) flush_once();
  return nullptr;
}

void wake() {
  core::sys::call(SYS_futex, core::sys::pointer(&g_period), FUTEX_WAKE_PRIVATE, INT32_MAX);
}

}  // namespace

CUptiResult set_flush_timer(unsigned user, std::uint32_t milliseconds) {
  const clients::Locked locked(g_timer_lock);
  g_periods[user] = milliseconds;
  std::uint32_t shortest = 0;
  for (const std::uint32_t period : g_periods)
    if (period != 0 && (shortest == 0 || period < shortest)) shortest = period;
  g_period.store(shortest, std::memory_order_relaxed);
  if (g_has_thread)
    wake();
  else if (shortest != 0)
    g_has_thread = core::start_own_thread(flush_periodically, "prof-flush");
  return shortest == 0 || g_has_thread ? CUPTI_SUCCESS : CUPTI_ERROR_OUT_OF_MEMORY;
}

// A flush must not run while CUPTI's library is finalized. Waits for one, unless it hangs.
void stop_flush_timer() {
  constexpr int kPatience = 1000;  // ms
  g_stopped.store(true, std::memory_order_seq_cst);
  for (int i = 0; i < kPatience && g_is_flushing.load(std::memory_order_seq_cst); ++i)
    core::sys::sleep_ns(1'000'000);
}

}  // namespace prof::cuda
