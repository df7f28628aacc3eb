// The kernel's number of the calling thread, also where a seccomp filter could kill us for asking.
#pragma once

#include <pthread.h>

#include <cstdint>

#include "injection/core/process_state.hpp"
#include "injection/core/syscalls.hpp"

namespace prof::core {

// glibc keeps it in its thread descriptor, at this place in every version for x86-64 up to now. The
// constructor checks that before anybody relies on it.
inline std::uint32_t thread_id_of_libc() {
  constexpr std::uintptr_t kPlace = 720;
  return *reinterpret_cast<const std::uint32_t*>(static_cast<std::uintptr_t>(pthread_self()) +
                                                 kPlace);
}

// 0: it cannot be found out.
inline std::uint32_t thread_id() {
  if (!g_process.sandboxed.load(std::memory_order_relaxed)) return sys::gettid();
  return g_process.libc_knows_tid ? thread_id_of_libc() : 0;
}

}  // namespace prof::core
