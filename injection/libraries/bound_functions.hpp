// The real functions of those that a preload library exports, one set for each calling object.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "injection/core/symbols/loader.hpp"
#include "injection/libraries/real_function.hpp"
#include "injection/libraries/recorder.hpp"

namespace prof::libraries {

struct Bound {
  void* real;   // null: there is none
  bool is_own;  // the library calls its own function, see resolve()
};

template <std::size_t count>
class BoundFunctions {
 public:
  // Returns what a call from `caller` reaches without prof. `object` is the beginning of the
  // library's file name, see find_real_function().
  [[gnu::always_inline]] Bound find(std::uint32_t function, const char* name, const void* caller,
                                    const char* object, std::uint32_t library) {
    const std::uint32_t index = callers_.find(caller);
    void* real = real_[index][function].load(std::memory_order_acquire);
    if (real == nullptr) [[unlikely]]
      return resolve(function, name, caller, object, library);
    return {real, is_own_[index].load(std::memory_order_relaxed)};
  }

 private:
  [[gnu::cold, gnu::noinline]] Bound resolve(std::uint32_t function, const char* name,
                                             const void* caller, const char* object,
                                             std::uint32_t library) {
    const std::uint32_t index = callers_.add(caller);
    void* real = find_real_function(name, caller, object);
    if (real == nullptr) {
      if (prof_library_missing != nullptr) prof_library_missing(library);
      return {nullptr, false};
    }
    // A library may jump to another function of its own at the end of one that our code has called:
    // then the caller seems to be our code. Objects that share entry 0 are not told apart.
    const link_map* const calling = core::object_at(caller);
    const bool is_own = index != 0 && (calling == core::object_at(real) ||
                                       calling == core::object_at(static_cast<void*>(this)));
    is_own_[index].store(is_own, std::memory_order_relaxed);
    // Pairs with find(), which then sees `is_own`.
    real_[index][function].store(real, std::memory_order_release);
    return {real, is_own};
  }

  Callers callers_;
  std::atomic<bool> is_own_[kMaxCallers];
  std::atomic<void*> real_[kMaxCallers][count];
};

}  // namespace prof::libraries
