// Taking apart what another program wrote.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>

namespace prof::base {

// Takes a value off the front; false if there is too little.
template <class T>
bool take(std::span<const std::byte>& bytes, T& value) {
  if (bytes.size() < sizeof value) return false;
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes = bytes.subspan(sizeof value);
  return true;
}

}  // namespace prof::base
