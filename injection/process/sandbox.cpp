// Notices that the program enters seccomp, from when on a system call of ours could kill it
// (pitfall 4.27). What was mapped before keeps working: recording needs no system call.
#include <linux/seccomp.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "injection/core/diagnostics.hpp"
#include "injection/core/process_state.hpp"
#include "injection/core/ring_writer.hpp"
#include "injection/core/wrap.hpp"

namespace {

void enter_sandbox() {
  if (prof::core::g_process.arena == nullptr) return;
  prof::core::adopt_thread();  // names the thread and arms its exit while that is still allowed
  prof::core::g_process.sandboxed.store(true, std::memory_order_relaxed);
  prof::core::report(prof::wire::DiagnosticCode::kSandboxed, 0);
}

}  // namespace

PROF_REAL_SLOT(prctl, nullptr)
PROF_WRAPPER(prctl, int, (int option, long a, long b, long c, long d)) {
  if (option == PR_SET_SECCOMP) enter_sandbox();
  return PROF_REAL(prctl, int, (int, long, long, long, long))(option, a, b, c, d);
}

PROF_REAL_SLOT(syscall, nullptr)
PROF_WRAPPER(syscall, long, (long number, long a, long b, long c, long d, long e, long f)) {
  if (number == SYS_seccomp && (a == SECCOMP_SET_MODE_STRICT || a == SECCOMP_SET_MODE_FILTER))
    enter_sandbox();
  return PROF_REAL(syscall, long, (long, long, long, long, long, long, long))(number, a, b, c, d, e,
                                                                              f);
}
