#include "injection/cuda/kernels/ownership.hpp"

#include <atomic>
#include <cstdint>

#include "injection/core/syscalls.hpp"
#include "injection/core/thread_id.hpp"

namespace prof::cuda::kernels {

namespace {

// The thread that profiles; 0: none.
std::atomic<std::uint32_t> g_owner;
// Calls that make GPUs work, between their entry and their exit.
std::atomic<std::int32_t> g_in_progress;

// How long a thread waits for others. A launch that takes longer may wait for this thread.
constexpr long kPatienceMs = 10'000;
constexpr long kStepNs = 50'000;
constexpr long kStepsOfPatience = kPatienceMs * 1'000'000 / kStepNs;

}  // namespace

void enter_work() {
  for (long i = 0; i < kStepsOfPatience; ++i) {
    while (g_owner.load(std::memory_order_acquire) != 0 && ++i < kStepsOfPatience)
      core::sys::sleep_ns(kStepNs);
    g_in_progress.fetch_add(1, std::memory_order_seq_cst);
    if (g_owner.load(std::memory_order_seq_cst) == 0) return;
    g_in_progress.fetch_sub(1, std::memory_order_seq_cst);
  }
  g_in_progress.fetch_add(1, std::memory_order_seq_cst);
}

void leave_work() { g_in_progress.fetch_sub(1, std::memory_order_seq_cst); }

bool become_owner() {
  std::uint32_t none = 0;
  for (long i = 0;
       !g_owner.compare_exchange_weak(none, core::thread_id(), std::memory_order_seq_cst);
       ++i, none = 0) {
    if (i == kStepsOfPatience) return false;
    // This launch gives way to the one that is profiled.
    g_in_progress.fetch_sub(1, std::memory_order_seq_cst);
    core::sys::sleep_ns(kStepNs);
    g_in_progress.fetch_add(1, std::memory_order_seq_cst);
  }
  for (long i = 0; i < kStepsOfPatience; ++i) {
    if (g_in_progress.load(std::memory_order_seq_cst) == 1) return true;
    core::sys::sleep_ns(kStepNs);
  }
  release_ownership();
  return false;
}

bool become_owner_of_idle() {
  std::uint32_t none = 0;
  if (!g_owner.compare_exchange_strong(none, core::thread_id(), std::memory_order_seq_cst))
    return false;
  if (g_in_progress.load(std::memory_order_seq_cst) == 0) return true;
  release_ownership();
  return false;
}

void release_ownership() { g_owner.store(0, std::memory_order_release); }

bool is_owner() { return g_owner.load(std::memory_order_relaxed) == core::thread_id(); }

}  // namespace prof::cuda::kernels
