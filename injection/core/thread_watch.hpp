// The door by which core tells of the threads that record, to whom it wants to know (sampler).
#pragma once

#include <atomic>

#include "injection/core/thread_state.hpp"

namespace prof::core {

// All are async-signal-safe and keep errno.
struct ThreadWatcher {
  void (*began)(ThreadState&);  // a thread, or a fork child's, before its first record
  void (*ends)(ThreadState&);
  void (*stop)();  // system calls are about to be forbidden
};

inline std::atomic<const ThreadWatcher*> g_thread_watcher;

inline void set_thread_watcher(const ThreadWatcher& watcher) {
  g_thread_watcher.store(&watcher, std::memory_order_release);
}
inline const ThreadWatcher* thread_watcher() {
  return g_thread_watcher.load(std::memory_order_acquire);
}

}  // namespace prof::core
