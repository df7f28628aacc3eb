// The last flush, which must not keep the program from ending: CUPTI can hang because of a wedged
// GPU or a bug. So a separate thread does the flush, and the thread that ends the process waits for
// it only until the deadline. The thread starts just before the flush, so a program that counts its
// threads does not see it earlier.
#include <errno.h>
#include <linux/futex.h>
#include <time.h>

#include "injection/core/clock.hpp"
#include "injection/core/own_thread.hpp"
#include "injection/core/record/diagnostics.hpp"
#include "injection/core/syscalls.hpp"
#include "injection/cuda/kernels/launches.hpp"
#include "injection/cuda/pc_sampling/pc_sampling.hpp"
#include "injection/cuda/state.hpp"

namespace prof::cuda {

namespace {

enum : std::uint32_t { kIdle, kRunning, kDone };
// A futex. It is static, like everything that the thread uses, because the thread may outlive the
// wait.
std::atomic<std::uint32_t> g_flush;

void fetch_everything() {
  pc::end();
  kernels::end();
  flush_buffers(Flush::kForced);
}

void* flush_on_thread(void* name) {
  core::begin_own_thread(name);
  fetch_everything();
  g_flush.store(kDone, std::memory_order_release);
  core::sys::call(SYS_futex, core::sys::pointer(&g_flush), FUTEX_WAKE_PRIVATE, INT32_MAX);
  return nullptr;
}

// Waits for the flush. Returns false after the time limit. Signals of the program interrupt the
// wait but do not end it.
bool wait_for_flush(std::uint32_t seconds) {
  timespec deadline;
  clock_gettime(CLOCK_MONOTONIC, &deadline);
  deadline.tv_sec += seconds;
  while (g_flush.load(std::memory_order_acquire) == kRunning) {
    const long result =
        core::sys::call(SYS_futex, core::sys::pointer(&g_flush), FUTEX_WAIT_BITSET_PRIVATE,
                        kRunning, core::sys::pointer(&deadline), 0, FUTEX_BITSET_MATCH_ANY);
    if (result == -ETIMEDOUT) return g_flush.load(std::memory_order_acquire) == kDone;
  }
  return true;
}

// Flushes in a separate thread. If the process cannot start another thread, or must not make system
// calls any more, the calling thread flushes itself. Two threads that end the process at the same
// time wait for the same flush.
bool flush_within(std::uint32_t seconds) {
  if (seconds == 0 || core::g_process.sandboxed.load(std::memory_order_relaxed)) {
    fetch_everything();
    return true;
  }
  std::uint32_t state = g_flush.load(std::memory_order_relaxed);
  while (state != kRunning &&
         !g_flush.compare_exchange_weak(state, kRunning, std::memory_order_acq_rel)) {
  }
  if (state != kRunning && !core::start_own_thread(flush_on_thread, "prof-flush")) {
    fetch_everything();
    g_flush.store(kDone, std::memory_order_release);
    return true;
  }
  return wait_for_flush(seconds);
}

}  // namespace

void flush_before_exit() {
  if (!core::has_libc_pointer() || core::t_state.in_cupti || !is_active()) return;
  const std::uint64_t start = core::now();
  const std::uint32_t patience = core::g_process.config.cuda.flush_timeout;
  if (!flush_within(patience)) {
    g_state.active.store(false, std::memory_order_release);  // if an exec fails, the program runs
                                                             // on without CUDA in its report
    core::report(wire::DiagnosticCode::kCudaFlushGivenUp, patience);
  }
  core::report_overhead(wire::OverheadKind::kCudaFlush, start, core::now(), wire::kLastFlush);
}

}  // namespace prof::cuda
