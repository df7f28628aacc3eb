// The exec family. The session's variables are restored in the environment if they are missing.
// vfork children run this code, too, so it changes nothing of the parent. Threads and signal
// handlers with small stacks also run it.
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <unistd.h>

#include <cstddef>

#include "injection/core/doors.hpp"
#include "injection/core/record/wrap.hpp"
#include "injection/core/startup/environment.hpp"
#include "injection/core/thinning/thinning.hpp"
#include "injection/process/program_file.hpp"

PROF_REAL_SLOT(execve, nullptr)
PROF_REAL_SLOT(execveat, nullptr)
PROF_REAL_SLOT(execvpe, nullptr)
PROF_REAL_SLOT(fexecve, nullptr)
// libc's own functions. The wrappers of exec functions without an environment, or with a list of
// arguments, call these.
PROF_LIBC_SLOT(libcs_execve, execve)
PROF_LIBC_SLOT(libcs_execvpe, execvpe)
PROF_STAND_IN_SLOT(execv, nullptr)
PROF_STAND_IN_SLOT(execvp, nullptr)
PROF_STAND_IN_SLOT(execl, nullptr)
PROF_STAND_IN_SLOT(execlp, nullptr)
PROF_STAND_IN_SLOT(execle, nullptr)

namespace {

using Strings = char* const*;

// Calls `real` with an environment that keeps the new program in the session. If that environment
// is too large for the kernel, tries the program's own one.
template <class Real>
int exec_with(Strings environment, Real real) {
  const prof::core::ChildEnvironment child(environment);
  prof::core::g_doors.before_exit();
  prof::core::end_thinning();
  const int result = real(child.get());
  return child.is_changed() && errno == E2BIG ? real(environment) : result;
}

int exec_path(prof::core::RealSymbol& execve, const char* path, Strings arguments,
              Strings environment) {
  prof::process::report_if_untraceable(path);
  const auto real = reinterpret_cast<int (*)(const char*, Strings, Strings)>(execve.get());
  return exec_with(environment, [=](Strings changed) { return real(path, arguments, changed); });
}

int exec_search(prof::core::RealSymbol& execvpe, const char* file, Strings arguments,
                Strings environment) {
  prof::process::report_if_untraceable_in_path(file);
  const auto real = reinterpret_cast<int (*)(const char*, Strings, Strings)>(execvpe.get());
  return exec_with(environment, [=](Strings changed) { return real(file, arguments, changed); });
}

// Returns the number of arguments of execl and similar functions, with `first` and without the
// terminating null.
std::size_t count_arguments(const char* first, va_list list) {
  std::size_t count = 0;
  for (const char* argument = first; argument != nullptr; argument = va_arg(list, const char*))
    ++count;
  return count;
}

void copy_arguments(const char** out, const char* first, va_list list) {
  for (const char* argument = first; argument != nullptr; argument = va_arg(list, const char*))
    *out++ = argument;
  *out = nullptr;
}

}  // namespace

// Declares `arguments`, an array on the stack with `first` and the variable arguments. Afterwards
// `list` is after the terminating null, where execle has its environment.
#define COLLECT_ARGUMENTS(first)                                                      \
  va_list list;                                                                       \
  va_start(list, first);                                                              \
  const std::size_t count = count_arguments(first, list);                             \
  va_end(list);                                                                       \
  auto** arguments =                                                                  \
      static_cast<const char**>(__builtin_alloca((count + 1) * sizeof(const char*))); \
  va_start(list, first);                                                              \
  copy_arguments(arguments, first, list)

PROF_WRAPPER(execve, int, (const char* path, Strings arguments, Strings environment)) {
  return exec_path(g_real_execve, path, arguments, environment);
}

PROF_WRAPPER(execv, int, (const char* path, Strings arguments)) {
  return exec_path(g_real_libcs_execve, path, arguments, environ);
}

PROF_WRAPPER(execvp, int, (const char* file, Strings arguments)) {
  return exec_search(g_real_libcs_execvpe, file, arguments, environ);
}

PROF_WRAPPER(execvpe, int, (const char* file, Strings arguments, Strings environment)) {
  return exec_search(g_real_execvpe, file, arguments, environment);
}

PROF_WRAPPER(execl, int, (const char* path, const char* first, ...)) {
  COLLECT_ARGUMENTS(first);
  va_end(list);
  return exec_path(g_real_libcs_execve, path, const_cast<Strings>(arguments), environ);
}

PROF_WRAPPER(execlp, int, (const char* file, const char* first, ...)) {
  COLLECT_ARGUMENTS(first);
  va_end(list);
  return exec_search(g_real_libcs_execvpe, file, const_cast<Strings>(arguments), environ);
}

PROF_WRAPPER(execle, int, (const char* path, const char* first, ...)) {
  COLLECT_ARGUMENTS(first);
  Strings environment = va_arg(list, Strings);
  va_end(list);
  return exec_path(g_real_libcs_execve, path, const_cast<Strings>(arguments), environment);
}

PROF_WRAPPER(execveat, int,
             (int dir, const char* path, Strings arguments, Strings environment, int flags)) {
  prof::process::report_if_untraceable(dir, path, flags);
  return exec_with(environment, [=](Strings changed) {
    return PROF_REAL(execveat, int, (int, const char*, Strings, Strings, int))(dir, path, arguments,
                                                                               changed, flags);
  });
}

PROF_WRAPPER(fexecve, int, (int fd, Strings arguments, Strings environment)) {
  const auto real = PROF_REAL(fexecve, int, (int, Strings, Strings));
  if (environment == nullptr) return real(fd, arguments, nullptr);  // an error only here
  prof::process::report_if_untraceable(fd, "", AT_EMPTY_PATH);
  return exec_with(environment, [=](Strings changed) { return real(fd, arguments, changed); });
}
