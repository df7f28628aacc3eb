// clone(3). A child with its own memory finds the live word wiped, as after fork. A child that
// suspends its parent (CLONE_VFORK) records as the parent's thread. But a child that runs at the
// same time as its parent, in the same memory and with the same thread-local data, would write into
// the same chunk at the same time. So neither is recorded while both run. A child that gets other
// thread-local data (CLONE_SETTLS) is not recorded before it calls exec.
#include "injection/process/clone.hpp"

#include <sched.h>
#include <stdarg.h>

#include "injection/core/foreign_threads.hpp"
#include "injection/core/join/session.hpp"
#include "injection/core/record/diagnostics.hpp"
#include "injection/core/record/record_writer.hpp"
#include "injection/core/record/shared_state.hpp"
#include "injection/core/record/wrap.hpp"

namespace prof::process {

// The kernel clears only one word. If the program uses this mechanism itself, prof does not see the
// end of the child.
int* prepare_for_sharing(unsigned long flags) {
  if (core::g_process.arena == nullptr || !core::has_libc_pointer()) return nullptr;
  core::report_each(wire::DiagnosticCode::kSharedThread, 0);
  const bool is_free = (flags & (CLONE_CHILD_CLEARTID | CLONE_CHILD_SETTID)) == 0;
  int* const word = is_free ? core::share_state() : nullptr;
  if (word == nullptr) core::retire_thread();
  return word;
}

bool shares_thread_state(unsigned long flags) {
  return (flags & CLONE_VM) != 0 && (flags & (CLONE_VFORK | CLONE_SETTLS)) == 0;
}

void expect_foreign_threads() {
  if (core::g_process.arena == nullptr) return;
  core::report(wire::DiagnosticCode::kForeignThread, 0);
  core::expect_foreign_threads();
}

namespace {

// Returns whether only the parent uses its memory again when clone() returns to it.
bool prepare_for_foreign_child(unsigned long flags) {
  const bool stays = (flags & (CLONE_VM | CLONE_VFORK)) == CLONE_VM;
  if (stays || core::g_process.arena == nullptr) {
    expect_foreign_threads();
    return false;
  }
  core::report(wire::DiagnosticCode::kForeignThread, 0);
  core::begin_foreign_child();
  return true;
}

}  // namespace
}  // namespace prof::process

PROF_REAL_SLOT(clone, nullptr)
PROF_WRAPPER(clone, int, (int (*function)(void*), void* stack, int flags, void* argument, ...)) {
  using namespace prof::process;
  // Arguments that the caller did not pass are not used. Reading them is harmless.
  va_list list;
  va_start(list, argument);
  void* const parent_tid = va_arg(list, void*);
  void* const tls = va_arg(list, void*);
  void* child_tid = va_arg(list, void*);
  va_end(list);
  const auto asked = static_cast<unsigned long>(flags);
  int* const word = shares_thread_state(asked) ? prepare_for_sharing(asked) : nullptr;
  if (word != nullptr) {
    flags |= CLONE_CHILD_CLEARTID;
    child_tid = word;
  }
  prof::core::prepare_to_fork();
  const bool leaves = (asked & CLONE_SETTLS) != 0 && prepare_for_foreign_child(asked);
  const int child = PROF_REAL(clone, int, (int (*)(void*), void*, int, void*, ...))(
      function, stack, flags, argument, parent_tid, tls, child_tid);
  if (leaves) prof::core::end_foreign_child();
  if (word != nullptr && child < 0) *word = 0;
  return child;
}
