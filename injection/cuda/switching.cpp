// Switches CUPTI on when a collection starts and off when it ends, in sessions whose programs are
// dormant in between. In that time there is no subscription, no callback and no activity. Nothing
// of ours runs in the program then, so a thread waits for the collector. It starts in cuInit.
#include <linux/futex.h>

#include "injection/core/clock.hpp"
#include "injection/core/record/diagnostics.hpp"
#include "injection/core/syscalls.hpp"
#include "injection/cuda/own_thread.hpp"
#include "injection/cuda/state.hpp"

namespace prof::cuda {

namespace {

bool g_is_on;  // CUPTI is on, or could not be switched on. Used by one thread.

std::atomic<std::uint32_t>& enabled_word() {
  return core::g_process.arena->slots[core::g_process.slot % wire::kProcessSlots].cupti_enabled;
}

std::uint32_t edges() {
  // Acquire pairs with the collector's release: the state of capture ranges is set.
  return core::g_process.arena->collection_edges.load(std::memory_order_acquire);
}

// The word is set before CUPTI is on, so the collector waits for the records of this collection if
// there can be any.
void switch_on() {
  const std::uint64_t begin = core::now();
  enabled_word().store(1, std::memory_order_seq_cst);
  if (!enable_cupti()) enabled_word().store(0, std::memory_order_release);
  core::report_overhead(wire::OverheadKind::kCudaStart, begin, core::now());
}

// Release pairs with the collector's acquire: all records are in the arena.
void switch_off() {
  disable_cupti();
  enabled_word().store(0, std::memory_order_release);
}

// Follows the collector until there is no change.
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

void* follow_forever(void* name) {
  begin_own_thread(name);
  for (;;) {
    const std::uint32_t seen = follow();
    core::sys::call(SYS_futex, core::sys::pointer(&core::g_process.arena->collection_edges),
                    FUTEX_WAIT, seen, 0);
  }
}

}  // namespace

void start_switching() {
  // Now, so that a collection that is on has the first kernel.
  follow();
  start_own_thread(follow_forever, "prof-cupti");
}

}  // namespace prof::cuda
