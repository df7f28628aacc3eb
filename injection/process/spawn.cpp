// posix_spawn, system and popen, whose children stay in the session.
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <unistd.h>

#include "injection/core/record/wrap.hpp"
#include "injection/core/startup/environment.hpp"
#include "injection/core/startup/shell_command.hpp"
#include "injection/process/functions.hpp"
#include "injection/process/program_file.hpp"

namespace {

using Strings = char* const*;

// Calls `real` with a changed environment. If that is too large for the kernel, tries the program's
// own one.
template <class Real>
int spawn_with(Strings environment, Real real) {
  const prof::core::ChildEnvironment child(environment);
  const int error = real(child.get());
  return child.is_changed() && error == E2BIG ? real(environment) : error;
}

}  // namespace

using prof::core::recorded;

#define SPAWN_PARAMETERS                                                     \
  (pid_t * pid, const char* path, const posix_spawn_file_actions_t* actions, \
   const posix_spawnattr_t* attributes, Strings arguments, Strings environment)

#define SPAWN(slot, name, report)                                                              \
  prof::process::report(path);                                                                 \
  return recorded(PROCESS_FUNCTION_ID(name), [&] {                                             \
    return spawn_with(environment, [&](Strings changed) {                                      \
      return PROF_REAL(slot, int, SPAWN_PARAMETERS)(pid, path, actions, attributes, arguments, \
                                                    changed);                                  \
    });                                                                                        \
  })

PROF_REAL_SLOT(posix_spawn, "GLIBC_2.15")
PROF_WRAPPER(posix_spawn, int, SPAWN_PARAMETERS) {
  SPAWN(posix_spawn, posix_spawn, report_if_untraceable);
}

PROF_REAL_SLOT(posix_spawnp, "GLIBC_2.15")
PROF_WRAPPER(posix_spawnp, int, SPAWN_PARAMETERS) {
  SPAWN(posix_spawnp, posix_spawnp, report_if_untraceable_in_path);
}

#if PROF_HAS_OLD_GLIBC_CODE
// The old versions run a file that the kernel cannot execute as a shell script.
PROF_VERSION_WRAPPER(posix_spawn_2_2_5, posix_spawn, "GLIBC_2.2.5", int, SPAWN_PARAMETERS) {
  SPAWN(posix_spawn_2_2_5, posix_spawn, report_if_untraceable);
}

PROF_VERSION_WRAPPER(posix_spawnp_2_2_5, posix_spawnp, "GLIBC_2.2.5", int, SPAWN_PARAMETERS) {
  SPAWN(posix_spawnp_2_2_5, posix_spawnp, report_if_untraceable_in_path);
}
#endif

PROF_REAL_SLOT(system, nullptr)
PROF_WRAPPER(system, int, (const char* command)) {
  const prof::core::ShellCommand shell(command);
  return recorded(PROCESS_FUNCTION_ID(system),
                  [&] { return PROF_REAL(system, int, (const char*))(shell.get()); });
}

PROF_REAL_SLOT(popen, nullptr)
PROF_WRAPPER(popen, FILE*, (const char* command, const char* mode)) {
  const prof::core::ShellCommand shell(command);
  return recorded(PROCESS_FUNCTION_ID(popen), [&] {
    return PROF_REAL(popen, FILE*, (const char*, const char*))(shell.get(), mode);
  });
}
