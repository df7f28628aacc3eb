// clone(3). A child with its own memory finds the live word wiped, as after fork. A child that
// suspends its parent (CLONE_VFORK) records in the name of the parent's thread. But a child that
// runs at the same time as its parent, in the same memory and with the same thread-local data,
// would write into the same chunk at the same time. So neither is recorded while both run.
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

// A word that the kernel clears when the child has ended. Null if the program uses this mechanism
// itself: the kernel clears only one word, so the end of the child is not seen.
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
  // Arguments that the caller did not pass are not used. On x86-64 reading them is harmless.
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
