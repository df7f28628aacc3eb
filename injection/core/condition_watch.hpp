// The door by which osrt, which sees the calls, tells python of condition variables that lie in
// memory of the interpreter's: its lock (GIL) is made of them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace prof::core {

struct ConditionWatch {
  std::uintptr_t begin;
  std::size_t bytes;                       // 0: nothing is watched
  void (*waits)(const void* condition);    // a timed wait begins
  void (*signals)(const void* condition);  // somebody is woken, if anybody waits
};

// Written once, by a constructor.
extern ConditionWatch g_condition_watch;

inline bool is_watched(const void* condition) {
  return reinterpret_cast<std::uintptr_t>(condition) - g_condition_watch.begin <
         g_condition_watch.bytes;
}

}  // namespace prof::core
