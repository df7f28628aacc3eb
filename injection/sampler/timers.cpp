#include "injection/sampler/timers.hpp"

#include <errno.h>
#include <signal.h>
#include <time.h>

#include <atomic>

#include "injection/core/layout.hpp"
#include "injection/core/process_state.hpp"
#include "injection/core/syscalls.hpp"

namespace prof::sampler {

namespace {

using core::sys::call;
using core::sys::pointer;

constexpr std::uint32_t kMaxTimers = 16384;

// Serial of the process image << 32 | the kernel's timer id + 1. A fork child inherits its parent's
// words but not the timers, so these words are free in the child. The timers are in a table so that
// all can be deleted before system calls are forbidden.
PROF_SELDOM std::atomic<std::uint64_t> g_timers[kMaxTimers];
std::atomic<std::uint32_t> g_highest;  // words from this index on were never used

std::uint32_t serial_of(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); }

void delete_timer(std::uint32_t id) { call(SYS_timer_delete, static_cast<int>(id)); }

// Deletes the timer of a word, unless another thread does.
void release(std::atomic<std::uint64_t>& place, std::uint32_t serial) {
  std::uint64_t word = place.load(std::memory_order_relaxed);
  if (serial_of(word) == serial &&
      place.compare_exchange_strong(word, 0, std::memory_order_relaxed))
    delete_timer(static_cast<std::uint32_t>(word) - 1);
}

// Stores the word and returns its index, counted from 1. Returns 0 if the table is full.
std::uint32_t store_word(std::uint64_t word) {
  for (std::uint32_t i = 0; i < kMaxTimers; ++i) {
    std::uint64_t before = g_timers[i].load(std::memory_order_relaxed);
    if (serial_of(before) == serial_of(word)) continue;
    if (!g_timers[i].compare_exchange_strong(before, word, std::memory_order_relaxed)) continue;
    std::uint32_t highest = g_highest.load(std::memory_order_relaxed);
    while (highest < i + 1 &&
           !g_highest.compare_exchange_weak(highest, i + 1, std::memory_order_relaxed)) {
    }
    return i + 1;
  }
  return 0;
}

long create(const core::ThreadState& thread, int signal, int& id) {
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = signal;
  event.sigev_value.sival_ptr = timer_mark();
  event._sigev_un._tid = static_cast<int>(thread.tid);
  return call(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, pointer(&event), pointer(&id));
}

timespec as_timespec(std::uint64_t nanoseconds) {
  return {static_cast<time_t>(nanoseconds / 1'000'000'000),
          static_cast<long>(nanoseconds % 1'000'000'000)};
}

}  // namespace

void* timer_mark() { return g_timers; }

int arm(core::ThreadState& thread, int signal, std::uint64_t period_ns) {
  int id = -1;
  if (const long failed = create(thread, signal, id); failed != 0) return static_cast<int>(-failed);
  thread.timer = static_cast<std::uint16_t>(
      store_word(std::uint64_t{thread.serial} << 32 | (static_cast<std::uint32_t>(id) + 1)));
  if (thread.timer == 0) {
    delete_timer(static_cast<std::uint32_t>(id));
    return EAGAIN;
  }
  const itimerspec period{as_timespec(period_ns), as_timespec(period_ns)};
  call(SYS_timer_settime, id, 0, pointer(&period), 0);
  return 0;
}

void disarm(core::ThreadState& thread) {
  if (thread.timer == 0) return;
  release(g_timers[thread.timer - 1], thread.serial);
  thread.timer = 0;
}

void disarm_all() {
  const std::uint32_t highest = g_highest.load(std::memory_order_relaxed);
  for (std::uint32_t i = 0; i < highest; ++i) release(g_timers[i], core::identity().serial);
}

}  // namespace prof::sampler
