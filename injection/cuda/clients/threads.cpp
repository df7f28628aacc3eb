// Ids of threads. Our tracer has CUPTI give the kernel's. Clients get those of pthread_self(), cut
// to 32 bits, unless they ask for the kernel's.
#include <pthread.h>

#include "injection/core/layout.hpp"
#include "injection/core/thread_id.hpp"
#include "injection/core/thread_state.hpp"
#include "injection/cuda/clients/client.hpp"

namespace prof::cuda::clients {

namespace {

struct Ids {
  std::atomic<std::uint32_t> tid;  // 0: the place is free
  std::atomic<std::uint32_t> pthread;
};
constexpr std::uint32_t kPlaces = 1024;
constexpr std::uint32_t kTries = 16;
PROF_SELDOM constinit Ids g_ids[kPlaces]{};

Ids& place(std::uint32_t tid, std::uint32_t attempt) { return g_ids[(tid + attempt) % kPlaces]; }

}  // namespace

void note_thread() {
  const core::ThreadState& t = core::t_state;
  const std::uint32_t tid = t.tid != 0 ? t.tid : core::thread_id();
  if (tid == 0) return;
  const auto pthread = static_cast<std::uint32_t>(pthread_self());
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

std::uint32_t pthread_of(std::uint32_t tid) {
  for (std::uint32_t i = 0; i < kTries; ++i) {
    const Ids& ids = place(tid, i);
    if (ids.tid.load(std::memory_order_relaxed) != tid) continue;
    const std::uint32_t pthread = ids.pthread.load(std::memory_order_relaxed);
    return pthread == 0 ? tid : pthread;
  }
  return tid;
}

}  // namespace prof::cuda::clients
