// Ids of threads. CUPTI reports the kernel's ids for our tracer. Clients get the values of
// pthread_self(), cut to 32 bits, unless they ask for the kernel's ids.
#include <pthread.h>

#include "injection/core/layout.hpp"
#include "injection/core/process_state.hpp"
#include "injection/core/syscalls.hpp"
#include "injection/core/thread_id.hpp"
#include "injection/core/thread_state.hpp"
#include "injection/cuda/clients/client.hpp"

namespace prof::cuda::clients {

namespace {

struct Ids {
  std::atomic<std::uint32_t> tid;  // 0: the entry is free
  std::atomic<std::uint32_t> pthread;
};
constexpr std::uint32_t kThreadSlots = 1024;
constexpr std::uint32_t kTries = 16;
PROF_SELDOM constinit Ids g_ids[kThreadSlots]{};

Ids& place(std::uint32_t tid, std::uint32_t attempt) {
  return g_ids[(tid + attempt) % kThreadSlots];
}

void note(std::uint32_t tid, std::uint32_t pthread) {
  if (tid == 0) return;
  for (std::uint32_t i = 0; i < kTries; ++i) {
    Ids& ids = place(tid, i);
    std::uint32_t owner = ids.tid.load(std::memory_order_relaxed);
    if (owner == 0) ids.tid.compare_exchange_strong(owner, tid, std::memory_order_relaxed);
    if (owner != 0 && owner != tid) continue;
    if (ids.pthread.load(std::memory_order_relaxed) != pthread)
      ids.pthread.store(pthread, std::memory_order_relaxed);
    return;
  }
}

// Returns the address at which the C library keeps the head of the thread's list of robust mutexes.
// The kernel knows it. 0: the thread is unknown.
std::uintptr_t robust_head(std::uint32_t tid) {
  std::uintptr_t head = 0;
  std::size_t size = 0;
  const long result = core::sys::call(SYS_get_robust_list, tid, core::sys::pointer(&head),
                                      core::sys::pointer(&size));
  return result == 0 ? head : 0;
}

// Finds the id of a thread that has made no call that prof saw. The head lies at the same offset in
// every thread's control block.
std::uint32_t find_pthread(std::uint32_t tid) {
  if (core::g_process.sandboxed.load(std::memory_order_relaxed)) return 0;
  const std::uintptr_t theirs = robust_head(tid);
  const std::uintptr_t own = robust_head(0);
  if (theirs == 0 || own == 0) return 0;
  const auto pthread = static_cast<std::uint32_t>(pthread_self() + theirs - own);
  note(tid, pthread);
  return pthread;
}

}  // namespace

void note_thread() {
  const core::ThreadState& t = core::t_state;
  note(t.tid != 0 ? t.tid : core::thread_id(), static_cast<std::uint32_t>(pthread_self()));
}

std::uint32_t pthread_of(std::uint32_t tid) {
  std::uint32_t pthread = 0;
  for (std::uint32_t i = 0; i < kTries && pthread == 0; ++i) {
    const Ids& ids = place(tid, i);
    if (ids.tid.load(std::memory_order_relaxed) == tid)
      pthread = ids.pthread.load(std::memory_order_relaxed);
  }
  if (pthread == 0) pthread = find_pthread(tid);
  return pthread == 0 ? tid : pthread;
}

}  // namespace prof::cuda::clients
