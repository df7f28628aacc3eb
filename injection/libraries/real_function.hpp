// Finds the function that a call would reach without prof.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace prof::libraries {

inline constexpr std::uint32_t kMaxCallers = 16;

// The objects that call a library, by the addresses of their code. There are no locks, so an object
// may be entered twice. Objects that do not fit share entry 0 with code that is in no object.
class Callers {
 public:
  // Returns the index of the object that contains the address; 0 if it is not known.
  std::uint32_t find(const void* address) const {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    const std::uint32_t count = count_.load(std::memory_order_relaxed);
    for (std::uint32_t i = 1; i <= count && i < kMaxCallers; ++i)
      // Pairs with the release in add(): a reader that sees `begin` sees `size` too.
      if (at - objects_[i].begin.load(std::memory_order_acquire) < objects_[i].size) return i;
    return 0;
  }
  std::uint32_t add(const void* address);

 private:
  struct Object {
    std::atomic<std::uintptr_t> begin;
    std::uintptr_t size;
  };
  Object objects_[kMaxCallers];
  std::atomic<std::uint32_t> count_;
};

// Returns the definition of `name` that the dynamic linker would have bound for the code at
// `caller`, or null if there is none. The search order is:
//   1. the definition after ours in the program's global scope, unless it is in the library itself;
//   2. the scope of the calling object (Python loads extensions with RTLD_LOCAL);
//   3. the definition after ours, if it is in the library;
//   4. any loaded object, those of the library first.
// The scope of the calling object comes before 3 because several definitions may be in the library:
// two versions in one process, or the parts of cuDNN 9, which define the same names. The versions
// of the symbols would select the same definition. `library`: "cublas" means objects called
// libcublas*.
//
// The object that contains the function is kept loaded. Takes the loader's locks and keeps errno.
void* find_real_function(const char* name, const void* caller, const char* library);

}  // namespace prof::libraries
