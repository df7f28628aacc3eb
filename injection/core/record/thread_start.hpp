// Threads that are to introduce themselves when they start, instead of at their first record.
#pragma once

#include <atomic>

#include "injection/core/live.hpp"
#include "injection/core/process_state.hpp"
#include "injection/core/record/ring_writer.hpp"

namespace prof::core {

// What a new thread is to run, on its way to it: there is no heap.
struct ThreadStart {
  std::atomic<bool> taken{false};
  bool hides_signal = false;  // see ThreadState
  void* start = nullptr;
  void* argument = nullptr;
};

// Null: introducing is not asked for, or too many threads are on their way.
ThreadStart* take_thread_start();
inline void release(ThreadStart& start) { start.taken.store(false, std::memory_order_release); }

// The start routine of such a thread. What the program gave is called from here, and called last,
// so that no frame of ours is in its call chains.
template <class Result>
Result run_thread(void* data) {
  auto& on_the_way = *static_cast<ThreadStart*>(data);
  const auto start = reinterpret_cast<Result (*)(void*)>(on_the_way.start);
  void* const argument = on_the_way.argument;
  t_state.hides_signal = on_the_way.hides_signal;
  release(on_the_way);
  adopt_thread();
  return start(argument);
}

}  // namespace prof::core
