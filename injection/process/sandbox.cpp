// Detects that the program enters seccomp. From then on a system call by prof could kill the
// program. Memory that is already mapped still works, and recording needs no system call.
#include "injection/process/sandbox.hpp"

#include <linux/seccomp.h>
#include <sys/prctl.h>

#include "injection/core/doors.hpp"
#include "injection/core/live.hpp"
#include "injection/core/process_state.hpp"
#include "injection/core/record/arena_room.hpp"
#include "injection/core/record/diagnostics.hpp"
#include "injection/core/record/record_writer.hpp"
#include "injection/core/record/wrap.hpp"

namespace prof::process {

void enter_sandbox() {
  if (core::g_process.arena == nullptr) return;
  core::adopt_thread();     // makes the system calls of a new thread while they are allowed
  core::reserve_chunks(4);  // more would delay the program by milliseconds
  core::g_doors.stop_sampling();
  core::g_process.sandboxed.store(true, std::memory_order_relaxed);
  core::report(wire::DiagnosticCode::kSandboxed, 0);
}

// In seccomp's strict mode, and after PR_SET_TSC, rdtsc faults, also inside the vDSO's
// clock_gettime().
void stop_using_clock() {
  if (core::g_process.arena == nullptr) return;
  core::report(wire::DiagnosticCode::kClockForbidden, 0);
  core::g_doors.stop_sampling();
  core::g_process.sandboxed.store(true, std::memory_order_relaxed);
  core::g_live.word.store(core::kOff, std::memory_order_relaxed);
  core::g_process.clock_forbidden = true;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  core::g_process.use_tsc = false;  // now() takes its other path, which checks clock_forbidden
}

}  // namespace prof::process

PROF_REAL_SLOT(prctl, nullptr)
PROF_WRAPPER(prctl, int, (int option, long a, long b, long c, long d)) {
  const bool forbids_clock = (option == PR_SET_SECCOMP && a == SECCOMP_MODE_STRICT) ||
                             (option == PR_SET_TSC && a == PR_TSC_SIGSEGV);
  if (forbids_clock)
    prof::process::stop_using_clock();
  else if (option == PR_SET_SECCOMP)
    prof::process::enter_sandbox();
  return PROF_REAL(prctl, int, (int, long, long, long, long))(option, a, b, c, d);
}
