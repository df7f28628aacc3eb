// syscall(2). All six arguments that a system call can have are passed on. Reading arguments that
// the caller did not pass is harmless.
#include <errno.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "injection/core/foreign_threads.hpp"
#include "injection/core/join/session.hpp"
#include "injection/core/record/wrap.hpp"
#include "injection/core/syscalls.hpp"
#include "injection/process/clone.hpp"
#include "injection/process/functions.hpp"
#include "injection/process/sandbox.hpp"

#define SYSCALL_PARAMETERS (long number, long a, long b, long c, long d, long e, long f)

PROF_REAL_SLOT(syscall, nullptr)

namespace {

using namespace prof;

// Returns the flags to which the argument of clone3 points. The kernel reads them, because the
// pointer may be wrong, or is unknown.
unsigned long flags_of_clone3(long arguments, long bytes) {
  std::uint64_t flags = 0;
  const iovec to{&flags, sizeof flags};
  const iovec from{reinterpret_cast<void*>(arguments), sizeof flags};
  if (bytes < static_cast<long>(sizeof flags)) return 0;
  if (core::g_process.sandboxed.load(std::memory_order_relaxed)) return CLONE_SETTLS;
  const long got = core::sys::call(SYS_process_vm_readv, core::sys::gettid(),
                                   core::sys::pointer(&to), 1, core::sys::pointer(&from), 1);
  return got < 0 && got != -EFAULT ? CLONE_SETTLS : flags;
}

// Makes a child with a separate stack, which does not return through frames of prof.
long make_child_beside(long flags, long stack, long parent, long d, long e) {
  const auto real = PROF_REAL(syscall, long, SYSCALL_PARAMETERS);
  int* const word = process::prepare_for_sharing(static_cast<unsigned long>(flags));
  if (word == nullptr) return real(SYS_clone, flags, stack, parent, d, e, 0);
  (core::machine::kCloneTakesTlsFirst ? e : d) = core::sys::pointer(word);
  const long made = real(SYS_clone, flags | CLONE_CHILD_CLEARTID, stack, parent, d, e, 0);
  if (made < 0) *word = 0;
  return made;
}

void prepare_for_child(unsigned long flags) {
  core::prepare_to_fork();
  if ((flags & CLONE_SETTLS) != 0) process::expect_foreign_threads();
  // The word that shows the end of the child cannot be passed.
  if (process::shares_thread_state(flags))
    process::prepare_for_sharing(flags | CLONE_CHILD_CLEARTID);
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

[[gnu::always_inline]] inline long call_and_record SYSCALL_PARAMETERS {
  const auto real = PROF_REAL(syscall, long, SYSCALL_PARAMETERS);
  return core::recorded(function_of(number), [&] { return real(number, a, b, c, d, e, f); });
}

// True for system calls that make children, or that change what a thread may do or where its
// thread-local data is.
bool is_special(long number) {
  using namespace core::machine;
  return (number >= kFirstOfChildren && number <= kLastOfChildren) || number == SYS_clone3 ||
         number == SYS_prctl || number == kOfThreadPointer || number == SYS_seccomp;
}

// Handles the special system calls. Those that make children return twice, and the child is not in
// a recorded call. They end with a tail call, because a vfork child must not return through a stack
// frame of prof. After a switch of the thread pointer no code of prof may run.
[[gnu::cold, gnu::noinline]] long call_special SYSCALL_PARAMETERS {
  const auto flags = static_cast<unsigned long>(a);
  switch (number) {
    case SYS_prctl:  // The wrapper of prctl() handles these.
      if (a == PR_SET_SECCOMP || a == PR_SET_TSC) return prctl(static_cast<int>(a), b, c, d, e);
      return call_and_record(number, a, b, c, d, e, f);
    case SYS_seccomp:
      if (a == SECCOMP_SET_MODE_STRICT) process::stop_using_clock();
      if (a == SECCOMP_SET_MODE_FILTER) process::enter_sandbox();
      return call_and_record(number, a, b, c, d, e, f);
    case SYS_clone:
      if (b != 0 && process::shares_thread_state(flags)) return make_child_beside(a, b, c, d, e);
      prepare_for_child(flags);
      break;
    case SYS_clone3:
      prepare_for_child(flags_of_clone3(a, b));
      break;
    case core::machine::kOfThreadPointer:
      if (a != core::machine::kSetThreadPointer) return call_and_record(number, a, b, c, d, e, f);
      process::expect_foreign_threads();
      break;
    default:
      break;
  }
  return PROF_REAL(syscall, long, SYSCALL_PARAMETERS)(number, a, b, c, d, e, f);
}

}  // namespace

PROF_WRAPPER(syscall, long, SYSCALL_PARAMETERS) {
  if (is_special(number)) [[unlikely]]
    return call_special(number, a, b, c, d, e, f);
  return call_and_record(number, a, b, c, d, e, f);
}
