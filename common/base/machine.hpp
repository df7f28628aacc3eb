// The processor that prof is built for.
#pragma once

#include <elf.h>
#include <unistd.h>

#include <cstddef>

namespace prof::base {

#if defined(__x86_64__)
inline constexpr Elf64_Half kElfMachine = EM_X86_64;
inline constexpr char kMachineName[] = "x86-64";
#elif defined(__aarch64__)
inline constexpr Elf64_Half kElfMachine = EM_AARCH64;
inline constexpr char kMachineName[] = "aarch64";
#else
#error "prof runs on x86-64 and on aarch64 only"
#endif

// Kernels for aarch64 have pages of 4, 16 or 64 KiB.
inline std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

}  // namespace prof::base
