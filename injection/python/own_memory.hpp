// Access to this process's memory for common/wire/python_frames. The memory belongs to the calling
// thread, which is inside a call, so it does not change meanwhile.
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
