// Numbers of the system calls that end a thread or a process and do not return.
#pragma once

#include <sys/syscall.h>

#include <cstdint>

namespace prof::ingest {

#if defined(__x86_64__)
inline constexpr std::uint32_t kExitGroupOf32Bit = 252;  // number on i386
#elif defined(__aarch64__)
inline constexpr std::uint32_t kExitGroupOf32Bit = 248;  // number on arm
#endif

inline bool never_returns(std::uint32_t number, bool is_32_bit) {
  return is_32_bit ? number == 1 || number == kExitGroupOf32Bit
                   : number == SYS_exit || number == SYS_exit_group;
}

}  // namespace prof::ingest
