// The kernel's id of the calling thread, also in a process that may not call gettid() (seccomp).
#pragma once

#include <pthread.h>

#include <cstdint>

#include "common/wire/machine/machine.hpp"
#include "injection/core/process_state.hpp"
#include "injection/core/syscalls.hpp"

namespace prof::core {

// glibc keeps the id in its thread descriptor, at the same offset in every version until now.
// join_session() checks the offset before it is used.
inline std::uint32_t thread_id_of_libc() {
  return *reinterpret_cast<const std::uint32_t*>(static_cast<std::uintptr_t>(pthread_self()) +
                                                 wire::kThreadIdPlace);
}

// Returns 0 if the id cannot be found.
inline std::uint32_t thread_id() {
  if (!g_process.sandboxed.load(std::memory_order_relaxed)) return sys::gettid();
  return g_process.libc_knows_tid ? thread_id_of_libc() : 0;
}

}  // namespace prof::core
