// This process's memory, as injection/python_frames/python_stack.hpp wants it. What is asked for belongs to the
// calling thread, which is inside a call of its own: it does not change meanwhile.
#pragma once

#include <cstdint>
#include <cstring>

namespace prof::python {

struct OwnMemory {
  template <class T>
  bool read(std::uint64_t address, T& value) const {
    std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
    return true;
  }
  template <class T>
  static T load(std::uint64_t address) {
    T value;
    std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
    return value;
  }
};

}  // namespace prof::python
