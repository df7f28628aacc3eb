// clone(3). A child with a memory of its own finds the live word wiped, as after fork; one that
// suspends its parent (CLONE_VFORK) is a guest of the parent's thread. But one that runs beside its
// parent, in the same memory and with the same thread-local data, would write into the same chunk
// at the same time: neither is recorded as long as both are there.
#include <sched.h>
#include <stdarg.h>

#include "injection/core/record/diagnostics.hpp"
#include "injection/core/record/ring_writer.hpp"
#include "injection/core/record/shared_state.hpp"
#include "injection/core/record/wrap.hpp"

namespace {

bool shares_thread_state(int flags) {
  return (flags & CLONE_VM) != 0 && (flags & (CLONE_VFORK | CLONE_SETTLS)) == 0;
}

// For the kernel to clear when the child is gone. Null if the program wants such a word itself:
// there is but one, and the child's end is not seen.
int* prepare_for_sharing(int flags) {
  prof::core::report_each(prof::wire::DiagnosticCode::kSharedThread, 0);
  const bool is_free = (flags & (CLONE_CHILD_CLEARTID | CLONE_CHILD_SETTID)) == 0;
  int* const word = is_free ? prof::core::share_state() : nullptr;
  if (word == nullptr) prof::core::retire_thread();
  return word;
}

}  // namespace

PROF_REAL_SLOT(clone, nullptr)
PROF_WRAPPER(clone, int, (int (*function)(void*), void* stack, int flags, void* argument, ...)) {
  // What the caller did not give is not looked at either; on x86-64 reading it is harmless.
  va_list list;
  va_start(list, argument);
  void* const parent_tid = va_arg(list, void*);
  void* const tls = va_arg(list, void*);
  void* child_tid = va_arg(list, void*);
  va_end(list);
  int* word = nullptr;
  if (prof::core::g_process.arena != nullptr && shares_thread_state(flags))
    word = prepare_for_sharing(flags);
  if (word != nullptr) {
    flags |= CLONE_CHILD_CLEARTID;
    child_tid = word;
  }
  const int child = PROF_REAL(clone, int, (int (*)(void*), void*, int, void*, ...))(
      function, stack, flags, argument, parent_tid, tls, child_tid);
  if (word != nullptr && child < 0) *word = 0;
  return child;
}
