// Makes threads record themselves when they start, instead of at their first event. CPU sampling
// needs that.
#pragma once

#include <atomic>

#include "injection/core/live.hpp"
#include "injection/core/process_state.hpp"
#include "injection/core/record/record_writer.hpp"

namespace prof::core {

// The routine and argument of a new thread. They are passed in a static table, because prof has no
// heap.
struct ThreadStart {
  std::atomic<bool> taken{false};
  bool hides_signal = false;  // see ThreadState
  void* start = nullptr;
  void* argument = nullptr;
};

// Returns null if the session does not need this, or if too many threads are starting.
ThreadStart* take_thread_start();
inline void release(ThreadStart& start) { start.taken.store(false, std::memory_order_release); }

// The start routine of such a thread. It calls the program's routine last, by a tail call, so that
// no frame of prof is in the thread's call chains.
template <class Result>
Result run_thread(void* data) {
  auto& pending = *static_cast<ThreadStart*>(data);
  const auto start = reinterpret_cast<Result (*)(void*)>(pending.start);
  void* const argument = pending.argument;
  t_state.hides_signal = pending.hides_signal;
  release(pending);
  adopt_thread();
  return start(argument);
}

}  // namespace prof::core
