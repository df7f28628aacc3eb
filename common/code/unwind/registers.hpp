// The registers of a frame, with their numbers in DWARF.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include "common/code/unwind/machine/x86_64.hpp"
#elif defined(__aarch64__)
#include "common/code/unwind/machine/aarch64.hpp"
#else
#error "prof runs on x86-64 and on aarch64 only"
#endif

namespace prof::unwind {

struct Registers {
  std::uint64_t values[kRegisterCount] = {};
  std::uint64_t known = 0;  // one bit for each register

  bool has(unsigned index) const { return index < kRegisterCount && (known >> index & 1) != 0; }
  std::uint64_t operator[](Register index) const { return values[index]; }
  void set(unsigned index, std::uint64_t value) {
    values[index] = value;
    known |= std::uint64_t{1} << index;
  }
  void forget(unsigned index) { known &= ~(std::uint64_t{1} << index); }
};

}  // namespace prof::unwind
