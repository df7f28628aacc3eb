// Finds the number of a system call in the code of libc, on x86-64, that makes the call. In glibc
// 2.41 and later the number is often an argument of that function, and not in the code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

namespace prof::ptrace {

// Returns the number in the last mov $NUMBER,%eax in code that ends just before the system call's
// instruction, if that number is wanted.
template <class IsWanted>
std::optional<std::uint32_t> number_in(std::span<const std::byte> code, IsWanted is_wanted) {
  constexpr std::byte kMoveToEax{0xb8};
  constexpr std::size_t kMoveBytes = 5;
  if (code.size() < kMoveBytes) return std::nullopt;
  for (std::size_t at = code.size() - kMoveBytes + 1; at-- > 0;) {
    std::uint32_t number = 0;
    std::memcpy(&number, &code[at + 1], sizeof number);
    if (code[at] == kMoveToEax && is_wanted(number)) return number;
  }
  return std::nullopt;
}

}  // namespace prof::ptrace
