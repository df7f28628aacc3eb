// Memory for the changed environment that a child process gets at exec. It is not on the stack,
// which may be the stack of a small thread, and not from malloc, because exec also runs in signal
// handlers and between fork and exec.
//
// A vfork child shares its parent's memory and does not come back from exec. The memory that the
// child has mapped is unmapped by the next ChildMemory of the thread that made the child, or when
// that thread ends.
#pragma once

#include <cstddef>

namespace prof::core {

class ChildMemory {
 public:
  ChildMemory() = default;
  ~ChildMemory();
  ChildMemory(const ChildMemory&) = delete;
  ChildMemory& operator=(const ChildMemory&) = delete;

  // Maps zeroed memory. Call it once. Returns null if there is no memory.
  void* map(std::size_t bytes);

 private:
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
  bool noted_ = false;
};

// Unmaps the memory that vfork children of this thread have left. Called when a thread ends.
void unmap_left_by_children();

}  // namespace prof::core
