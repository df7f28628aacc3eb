// Exits that run no atexit handler. What was recorded is in the arena already. But CUPTI may still
// have records, and a fork child that recorded nothing has not introduced itself yet.
#include "injection/core/doors.hpp"
#include "injection/core/record/ring_writer.hpp"
#include "injection/core/record/wrap.hpp"

PROF_REAL_SLOT(_exit, nullptr)
PROF_WRAPPER(_exit, void, (int status)) {
  prof::core::g_doors.before_exit();
  prof::core::introduce_fork_child();
  PROF_REAL(_exit, void, (int))(status);
  __builtin_unreachable();
}

PROF_REAL_SLOT(_Exit, nullptr)
PROF_WRAPPER(_Exit, void, (int status)) {
  prof::core::g_doors.before_exit();
  prof::core::introduce_fork_child();
  PROF_REAL(_Exit, void, (int))(status);
  __builtin_unreachable();
}

PROF_REAL_SLOT(quick_exit, "GLIBC_2.24")
PROF_WRAPPER(quick_exit, void, (int status)) {
  prof::core::g_doors.before_exit();
  prof::core::introduce_fork_child();
  PROF_REAL(quick_exit, void, (int))(status);
  __builtin_unreachable();
}
