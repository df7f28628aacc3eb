// Private memory for a scope, for objects that are too large for the stack of a small thread or of
// a signal handler.
#pragma once

#include "injection/core/syscalls.hpp"

namespace prof::core {

// A zeroed T. Its memory is private and is unmapped when the scope is left.
template <class T>
class Mapped {
 public:
  Mapped()
      : memory_(sys::mmap(sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1)) {}
  ~Mapped() {
    if (*this) sys::munmap(memory_, sizeof(T));
  }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;

  // True if there was memory for the object.
  explicit operator bool() const { return !sys::failed(memory_); }
  T* operator->() const { return static_cast<T*>(memory_); }
  T& operator*() const { return *static_cast<T*>(memory_); }

 private:
  void* memory_;
};

}  // namespace prof::core
