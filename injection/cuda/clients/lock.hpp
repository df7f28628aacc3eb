// A lock for the requests of other users of CUPTI. The injection library calls no function that
// locks, so this lock consists of a word and a futex. Threads compete for it only if they configure
// CUPTI or receive its records; no event of prof takes the lock.
#pragma once

#include <linux/futex.h>

#include <atomic>
#include <cstdint>

#include "injection/core/process_state.hpp"
#include "injection/core/syscalls.hpp"

namespace prof::cuda::clients {

class Lock {
 public:
  void acquire() {
    std::uint32_t state = kFree;
    if (state_.compare_exchange_strong(state, kHeld, std::memory_order_acquire)) return;
    while (state_.exchange(kAwaited, std::memory_order_acquire) != kFree) wait();
  }
  bool try_acquire() {
    std::uint32_t state = kFree;
    return state_.compare_exchange_strong(state, kHeld, std::memory_order_acquire);
  }
  void release() {
    if (state_.exchange(kFree, std::memory_order_release) == kAwaited)
      core::sys::call(SYS_futex, core::sys::pointer(&state_), FUTEX_WAKE_PRIVATE, 1);
  }

 private:
  enum : std::uint32_t { kFree, kHeld, kAwaited };

  void wait() {
    if (core::g_process.sandboxed.load(std::memory_order_relaxed))
      core::machine::pause();
    else
      core::sys::call(SYS_futex, core::sys::pointer(&state_), FUTEX_WAIT_PRIVATE, kAwaited, 0);
  }

  std::atomic<std::uint32_t> state_;
};

class Locked {
 public:
  explicit Locked(Lock& lock) : lock_(lock) { lock_.acquire(); }
  ~Locked() { lock_.release(); }
  Locked(const Locked&) = delete;

 private:
  Lock& lock_;
};

}  // namespace prof::cuda::clients
