// Memory limits that the program sets, and locking its memory. The memory that prof maps counts
// against the limits, so prof returns unneeded memory before the call.
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "injection/core/join/arena_map.hpp"
#include "injection/core/readable.hpp"
#include "injection/core/record/arena_room.hpp"
#include "injection/core/record/wrap.hpp"
#include "injection/core/syscalls.hpp"
#include "injection/process/functions.hpp"

namespace {

using namespace prof;

void make_room_for(int resource, const rlimit* limits) {
  if (resource != RLIMIT_AS || limits == nullptr) return;
  core::Reader reader;
  if (reader.can_read(limits) && limits->rlim_cur != RLIM_INFINITY)
    core::shrink_arena(limits->rlim_cur);
}

}  // namespace

#define LIMIT_WRAPPERS(setrlimit, prlimit)                                                      \
  PROF_REAL_SLOT(setrlimit, nullptr)                                                            \
  PROF_WRAPPER(setrlimit, int, (int resource, const rlimit* limits)) {                          \
    make_room_for(resource, limits);                                                            \
    return PROF_REAL(setrlimit, int, (int, const rlimit*))(resource, limits);                   \
  }                                                                                             \
  PROF_REAL_SLOT(prlimit, nullptr)                                                              \
  PROF_WRAPPER(prlimit, int, (pid_t pid, int resource, const rlimit* limits, rlimit* before)) { \
    if (pid == 0 || pid == core::sys::getpid()) make_room_for(resource, limits);                \
    return PROF_REAL(prlimit, int, (pid_t, int, const rlimit*, rlimit*))(pid, resource, limits, \
                                                                         before);               \
  }

LIMIT_WRAPPERS(setrlimit, prlimit)
LIMIT_WRAPPERS(setrlimit64, prlimit64)

// mlockall locks everything that is mapped and allocates pages for it. So prof first unmaps chunks
// without memory, and reserves memory for the time afterwards.
PROF_REAL_SLOT(mlockall, nullptr)
PROF_WRAPPER(mlockall, int, (int flags)) {
  if ((flags & MCL_CURRENT) != 0) {
    core::reserve_chunks(1);
    core::shrink_arena(core::sys::limit(RLIMIT_MEMLOCK));
  }
  return core::recorded(PROCESS_FUNCTION_ID(mlockall),
                        [&] { return PROF_REAL(mlockall, int, (int))(flags); });
}
