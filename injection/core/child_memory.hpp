// Memory for what a child process gets at exec: a changed environment. It is not on the stack,
// which may be that of a small thread, and not from malloc, because exec also runs in signal
// handlers and between fork and exec.
//
// A vfork child shares its parent's memory and does not come back from exec. What it leaves there
// is unmapped by the next ChildMemory of the thread that made it, or when that thread ends.
#pragma once

#include <cstddef>

namespace prof::core {

class ChildMemory {
 public:
  ChildMemory() = default;
  ~ChildMemory();
  ChildMemory(const ChildMemory&) = delete;
  ChildMemory& operator=(const ChildMemory&) = delete;

  // Call it once. Returns null if there is no memory. It is zeroed.
  void* map(std::size_t bytes);

 private:
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
  bool noted_ = false;
};

// To be called when a thread ends.
void unmap_left_by_children();

}  // namespace prof::core
