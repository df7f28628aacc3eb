// A lock that one thread of a process holds. A fork child can take a lock that a thread of its
// parent held during the fork: that thread does not exist in the child.
#pragma once

#include <atomic>
#include <cstdint>

#include "injection/core/syscalls.hpp"

namespace prof::core {

class ProcessLock {
 public:
  bool try_lock() {
    const std::int32_t own = sys::getpid();
    std::int32_t holder = holder_.load(std::memory_order_relaxed);
    return holder != own && holder_.compare_exchange_strong(holder, own, std::memory_order_acquire);
  }

  void lock() {
    constexpr long kPauseNs = 100'000;
    while (!try_lock()) sys::sleep_ns(kPauseNs);
  }

  void unlock() { holder_.store(0, std::memory_order_release); }

 private:
  std::atomic<std::int32_t> holder_;  // process id of the holder; 0: none
};

class ProcessLockGuard {
 public:
  explicit ProcessLockGuard(ProcessLock& lock) : lock_(lock) { lock_.lock(); }
  ~ProcessLockGuard() { lock_.unlock(); }
  ProcessLockGuard(const ProcessLockGuard&) = delete;
  ProcessLockGuard& operator=(const ProcessLockGuard&) = delete;

 private:
  ProcessLock& lock_;
};

}  // namespace prof::core
