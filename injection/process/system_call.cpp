// syscall(2). All six arguments that a system call can have are passed on. On x86-64 it is harmless
// to read those that the caller did not pass.
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "injection/core/record/wrap.hpp"
#include "injection/process/functions.hpp"
#include "injection/process/sandbox.hpp"

#define SYSCALL_PARAMETERS (long number, long a, long b, long c, long d, long e, long f)

PROF_REAL_SLOT(syscall, nullptr)

namespace {

using namespace prof;

// These system calls also return in the child, where no recorded call is in progress.
bool makes_a_child(long number) {
  return number == SYS_clone || number == SYS_clone3 || number == SYS_fork || number == SYS_vfork;
}

core::Function function_of(long number) {
  switch (number) {
    case SYS_futex:
      return PROCESS_FUNCTION_ID(futex);
    case SYS_io_uring_enter:
      return PROCESS_FUNCTION_ID(io_uring_enter);
    default:
      return PROCESS_FUNCTION_ID(syscall);
  }
}

}  // namespace

PROF_WRAPPER(syscall, long, SYSCALL_PARAMETERS) {
  if (number == SYS_seccomp && a == SECCOMP_SET_MODE_STRICT) process::stop_using_clock();
  if (number == SYS_seccomp && a == SECCOMP_SET_MODE_FILTER) process::enter_sandbox();
  // The wrapper of prctl() handles these.
  if (number == SYS_prctl && (a == PR_SET_SECCOMP || a == PR_SET_TSC))
    return prctl(static_cast<int>(a), b, c, d, e);
  const auto real = PROF_REAL(syscall, long, SYSCALL_PARAMETERS);
  // A tail call: a vfork child must not return through a stack frame of prof.
  if (makes_a_child(number)) return real(number, a, b, c, d, e, f);
  return core::recorded(function_of(number), [&] { return real(number, a, b, c, d, e, f); });
}
