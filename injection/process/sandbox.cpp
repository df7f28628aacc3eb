// Notices that the program enters seccomp, from when on a system call of ours could kill it
// (pitfall 4.27). What was mapped before keeps working: recording needs no system call.
#include "injection/process/sandbox.hpp"

#include <linux/seccomp.h>
#include <sys/prctl.h>

#include "injection/core/doors.hpp"
#include "injection/core/live.hpp"
#include "injection/core/process_state.hpp"
#include "injection/core/record/diagnostics.hpp"
#include "injection/core/record/ring_writer.hpp"
#include "injection/core/record/wrap.hpp"

namespace prof::process {

void enter_sandbox() {
  if (core::g_process.arena == nullptr) return;
  core::adopt_thread();  // names the thread and arms its exit while that is still allowed
  core::g_doors.stop_sampling();
  core::g_process.sandboxed.store(true, std::memory_order_relaxed);
  core::report(wire::DiagnosticCode::kSandboxed, 0);
}

// In seccomp's strict mode, as after PR_SET_TSC, rdtsc is a fault, in the vDSO's clock_gettime() as
// anywhere.
void leave_clock() {
  if (core::g_process.arena == nullptr) return;
  core::report(wire::DiagnosticCode::kClockForbidden, 0);
  core::g_doors.stop_sampling();
  core::g_process.sandboxed.store(true, std::memory_order_relaxed);
  core::g_live.word.store(core::kOff, std::memory_order_relaxed);
  core::g_process.clock_forbidden = true;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  core::g_process.use_tsc = false;  // sends now() to where the other is looked at
}

}  // namespace prof::process

PROF_REAL_SLOT(prctl, nullptr)
PROF_WRAPPER(prctl, int, (int option, long a, long b, long c, long d)) {
  if (option == PR_SET_SECCOMP && a == SECCOMP_MODE_STRICT)
    prof::process::leave_clock();
  else if (option == PR_SET_SECCOMP)
    prof::process::enter_sandbox();
  else if (option == PR_SET_TSC && a == PR_TSC_SIGSEGV)
    prof::process::leave_clock();
  return PROF_REAL(prctl, int, (int, long, long, long, long))(option, a, b, c, d);
}
