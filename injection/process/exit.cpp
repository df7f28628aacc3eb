// Exit functions that run no atexit handler. All records are already in the arena. But CUPTI may
// still have records, and a fork child that recorded nothing has not introduced itself yet.
#include "injection/core/doors.hpp"
#include "injection/core/record/record_writer.hpp"
#include "injection/core/record/wrap.hpp"
#include "injection/core/thinning/thinning.hpp"

namespace {

[[noreturn]] void leave(prof::core::RealSymbol& real, int status) {
  prof::core::g_doors.before_exit();
  prof::core::end_thinning();
  prof::core::introduce_fork_child();
  reinterpret_cast<void (*)(int)>(real.get())(status);
  __builtin_unreachable();
}

}  // namespace

PROF_REAL_SLOT(_exit, nullptr)
PROF_WRAPPER(_exit, void, (int status)) { leave(g_real__exit, status); }

PROF_REAL_SLOT(_Exit, nullptr)
PROF_WRAPPER(_Exit, void, (int status)) { leave(g_real__Exit, status); }

PROF_REAL_SLOT(quick_exit, "GLIBC_2.24")
PROF_WRAPPER(quick_exit, void, (int status)) { leave(g_real_quick_exit, status); }

// This version destroys thread-local objects first.
PROF_VERSION_WRAPPER(quick_exit_2_10, quick_exit, PROF_FIRST_QUICK_EXIT, void, (int status)) {
  leave(g_real_quick_exit_2_10, status);
}
