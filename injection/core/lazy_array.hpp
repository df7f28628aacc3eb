// An array in memory that is mapped when the array is first used. For large arrays that few
// programs need, because mapped memory counts against a program's limits (RLIMIT_AS, mlockall).
#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <type_traits>

#include "injection/core/process_state.hpp"
#include "injection/core/syscalls.hpp"

namespace prof::core {

// The array. All bytes of an element are zero at first.
template <class Element, std::size_t count>
class LazyArray {
  static_assert(std::is_trivially_destructible_v<Element>);

 public:
  // Returns the array, or null if nobody has used it.
  Element* get_if_used() const { return array_.load(std::memory_order_acquire); }

  // Returns the array and maps it if necessary. Returns null if there is no memory, or if the
  // process makes no more system calls.
  Element* get() {
    if (Element* array = get_if_used()) return array;
    if (g_process.sandboxed.load(std::memory_order_relaxed)) return nullptr;
    constexpr std::size_t kBytes = sizeof(Element) * count;
    void* memory = sys::mmap(kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    if (sys::failed(memory)) return nullptr;
    Element* first = nullptr;
    if (array_.compare_exchange_strong(first, static_cast<Element*>(memory),
                                       std::memory_order_acq_rel, std::memory_order_acquire))
      return static_cast<Element*>(memory);
    sys::munmap(memory, kBytes);  // another thread was faster
    return first;
  }

 private:
  std::atomic<Element*> array_{nullptr};
};

}  // namespace prof::core
