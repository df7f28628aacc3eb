// The function that a call would have reached without us.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace prof::libraries {

inline constexpr std::uint32_t kMaxCallers = 16;

// The objects that call a library, by the addresses of their code. Without locks: an object may
// come to be in it twice, and those that find no room share entry 0 with code in no object.
class Callers {
 public:
  // Index of the object that the address lies in; 0 if it is not known.
  std::uint32_t find(const void* address) const {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    const std::uint32_t count = count_.load(std::memory_order_relaxed);
    for (std::uint32_t i = 1; i <= count && i < kMaxCallers; ++i)
      // Pairs with the release in add(): who sees the begin sees the size.
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

// What the dynamic linker would have bound `name` to in the code at `caller`: the definition behind
// ours in the program's global scope, else in the scope of the object that calls (Python loads
// extensions with RTLD_LOCAL). Within the library's own objects, and where both are of the library
// (two versions in one process; cuDNN 9, whose parts define the same names), the object's own scope
// goes first, as the versions of the symbols would have had it. If neither has it, any loaded
// object does, those of the library first. Null if there is none. `library`: "cublas" is the
// library in objects called libcublas*.
//
// The object is kept from being unloaded. Takes the loader's locks; errno stays.
void* find_real_function(const char* name, const void* caller, const char* library);

}  // namespace prof::libraries
