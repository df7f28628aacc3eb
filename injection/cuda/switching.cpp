// Switches CUPTI on when a collection starts and off when it ends, in sessions whose programs are
// dormant in between. While CUPTI is off there is no subscription, no callback, and no activity
// except unified memory. None of prof's code runs in the program then, so a separate thread waits
// for the collector. It starts in cuInit.
#include <linux/futex.h>

#include "injection/core/clock.hpp"
#include "injection/core/own_thread.hpp"
#include "injection/core/record/diagnostics.hpp"
#include "injection/core/syscalls.hpp"
#include "injection/cuda/state.hpp"

namespace prof::cuda {

namespace {

bool g_is_on;  // CUPTI is on, or switching it on failed; one thread uses this

// Release pairs with the collector's acquire: all records are in the arena before kOff.
void announce(wire::CuptiState state) {
  core::own_slot().cupti_state.store(state, std::memory_order_release);
}

std::uint32_t edges() {
  // Acquire pairs with the collector's release: the state of capture ranges is already set.
  return core::g_process.arena->collection_edges.load(std::memory_order_acquire);
}

void switch_on() {
  const std::uint64_t begin = core::now();
  announce(wire::CuptiState::kSwitching);
  const bool is_on = enable_cupti();
  core::report_overhead(wire::OverheadKind::kCudaStart, begin, core::now());
  announce(is_on ? wire::CuptiState::kOn : wire::CuptiState::kNone);
}

void switch_off() {
  fetch_last_records();
  announce(wire::CuptiState::kFlushed);
  disable_cupti();
  announce(wire::CuptiState::kOff);
}

// Follows the collector until its state does not change any more.
std::uint32_t follow() {
  for (;;) {
    const std::uint32_t seen = edges();
    const bool wanted = seen % 2 != 0;
    if (wanted == g_is_on) return seen;
    g_is_on = wanted;
    core::ThreadState& t = core::t_state;
    t.in_cupti = true;
    wanted ? switch_on() : switch_off();
    t.in_cupti = false;
  }
}

std::atomic<bool> g_ends;     // the thread has to end
std::atomic<bool> g_follows;  // a thread follows the collector
std::atomic<int> g_clearer;   // the process whose thread still disables unified memory

// Disables the counters of unified memory in a thread. Here CUPTI waits two seconds for one of its
// threads (CUPTI 13.0 on an H200: 2.01 s). A detach does not wait for that, because nothing is
// recorded any more. The next attach waits.
void clear() {
  core::t_state.in_cupti = true;
  disable_unified_memory();
  core::t_state.in_cupti = false;
  g_clearer.store(0, std::memory_order_release);
}

void wait_for_clearer() {
  while (g_clearer.load(std::memory_order_acquire) == core::sys::getpid())
    core::sys::sleep_ns(1'000'000);
}

void* follow_until_end(void* name) {
  core::begin_own_thread(name);
  while (!g_ends.load(std::memory_order_acquire)) {
    const std::uint32_t seen = follow();
    if (g_ends.load(std::memory_order_acquire)) break;
    core::sys::call(SYS_futex, core::sys::pointer(&core::g_process.arena->collection_edges),
                    FUTEX_WAIT, seen, 0);
  }
  if (g_is_on) switch_off();
  g_is_on = false;
  g_clearer.store(core::sys::getpid(), std::memory_order_release);
  g_follows.store(false, std::memory_order_release);
  clear();
  return nullptr;
}

}  // namespace

void start_switching() {
  wait_for_clearer();
  announce(wire::CuptiState::kOff);
  // This comes now, so that a collection in progress has the first kernel.
  follow();
  g_ends.store(false, std::memory_order_relaxed);
  g_follows.store(true, std::memory_order_relaxed);
  if (!core::start_own_thread(follow_until_end, "prof-cupti")) g_follows.store(false);
}

void stop_switching() {
  g_ends.store(true, std::memory_order_release);
  // The thread may be about to wait, so it is woken until it has ended.
  while (g_follows.load(std::memory_order_acquire)) {
    core::sys::call(SYS_futex, core::sys::pointer(&core::g_process.arena->collection_edges),
                    FUTEX_WAKE, 1 << 30);
    core::sys::sleep_ns(1'000'000);
  }
}

}  // namespace prof::cuda
