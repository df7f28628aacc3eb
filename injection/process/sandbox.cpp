// Notices that the program enters seccomp, from when on a system call of ours could kill it
// (pitfall 4.27). What was mapped before keeps working: recording needs no system call.
#include "injection/process/sandbox.hpp"

#include <sys/prctl.h>

#include "injection/core/diagnostics.hpp"
#include "injection/core/process_state.hpp"
#include "injection/core/ring_writer.hpp"
#include "injection/core/wrap.hpp"

namespace prof::process {

void enter_sandbox() {
  if (core::g_process.arena == nullptr) return;
  core::adopt_thread();  // names the thread and arms its exit while that is still allowed
  core::g_process.sandboxed.store(true, std::memory_order_relaxed);
  core::report(wire::DiagnosticCode::kSandboxed, 0);
}

}  // namespace prof::process

PROF_REAL_SLOT(prctl, nullptr)
PROF_WRAPPER(prctl, int, (int option, long a, long b, long c, long d)) {
  if (option == PR_SET_SECCOMP) prof::process::enter_sandbox();
  return PROF_REAL(prctl, int, (int, long, long, long, long))(option, a, b, c, d);
}
