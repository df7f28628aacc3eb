// clone(3). A child with a memory of its own finds the live word wiped, as after fork; one that
// suspends its parent (CLONE_VFORK) is a guest of the parent's thread. But one that runs beside its
// parent, in the same memory and with the same thread-local data, would write into the same chunk
// at the same time: that thread state is closed before it can happen.
#include <sched.h>
#include <stdarg.h>

#include "injection/core/diagnostics.hpp"
#include "injection/core/ring_writer.hpp"
#include "injection/core/wrap.hpp"

namespace {

bool shares_thread_state(int flags) {
  return (flags & CLONE_VM) != 0 && (flags & (CLONE_VFORK | CLONE_SETTLS)) == 0;
}

}  // namespace

PROF_REAL_SLOT(clone, nullptr)
PROF_WRAPPER(clone, int, (int (*function)(void*), void* stack, int flags, void* argument, ...)) {
  // What the caller did not give is not looked at either; on x86-64 reading it is harmless.
  va_list list;
  va_start(list, argument);
  void* const parent_tid = va_arg(list, void*);
  void* const tls = va_arg(list, void*);
  void* const child_tid = va_arg(list, void*);
  va_end(list);
  if (prof::core::g_process.arena != nullptr && shares_thread_state(flags)) {
    prof::core::report_each(prof::wire::DiagnosticCode::kSharedThread, 0);
    prof::core::retire_thread();
  }
  return PROF_REAL(clone, int, (int (*)(void*), void*, int, void*, ...))(
      function, stack, flags, argument, parent_tid, tls, child_tid);
}
