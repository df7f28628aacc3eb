// Reads values from bytes that another program wrote.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>

namespace prof::base {

// Removes a value from the front of the bytes. Returns false if there are too few bytes.
template <class T>
bool take(std::span<const std::byte>& bytes, T& value) {
  if (bytes.size() < sizeof value) return false;
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes = bytes.subspan(sizeof value);
  return true;
}

}  // namespace prof::base
