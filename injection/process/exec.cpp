// The exec family. The session's variables are put back into the environment if they are missing.
// vfork children run this too, so nothing but this stack frame is written.
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

namespace {

using Strings = char* const*;

int exec_path(const char* path, Strings arguments, Strings environment) {
  PROF_CHILD_ENVIRONMENT(child, environment);
  prof::process::report_if_untraceable(path);
  prof::core::g_doors.before_exit();
  prof::core::end_thinning();
  return PROF_REAL(execve, int, (const char*, Strings, Strings))(path, arguments, child.get());
}

int exec_search(const char* file, Strings arguments, Strings environment) {
  PROF_CHILD_ENVIRONMENT(child, environment);
  prof::process::report_if_untraceable_in_path(file);
  prof::core::g_doors.before_exit();
  prof::core::end_thinning();
  return PROF_REAL(execvpe, int, (const char*, Strings, Strings))(file, arguments, child.get());
}

// Number of arguments of execl and similar functions: with `first`, without the terminating null.
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
  return exec_path(path, arguments, environment);
}

PROF_WRAPPER(execv, int, (const char* path, Strings arguments)) {
  return exec_path(path, arguments, environ);
}

PROF_WRAPPER(execvp, int, (const char* file, Strings arguments)) {
  return exec_search(file, arguments, environ);
}

PROF_WRAPPER(execvpe, int, (const char* file, Strings arguments, Strings environment)) {
  return exec_search(file, arguments, environment);
}

PROF_WRAPPER(execl, int, (const char* path, const char* first, ...)) {
  COLLECT_ARGUMENTS(first);
  va_end(list);
  return exec_path(path, const_cast<Strings>(arguments), environ);
}

PROF_WRAPPER(execlp, int, (const char* file, const char* first, ...)) {
  COLLECT_ARGUMENTS(first);
  va_end(list);
  return exec_search(file, const_cast<Strings>(arguments), environ);
}

PROF_WRAPPER(execle, int, (const char* path, const char* first, ...)) {
  COLLECT_ARGUMENTS(first);
  Strings environment = va_arg(list, Strings);
  va_end(list);
  return exec_path(path, const_cast<Strings>(arguments), environment);
}

PROF_WRAPPER(execveat, int,
             (int dir, const char* path, Strings arguments, Strings environment, int flags)) {
  PROF_CHILD_ENVIRONMENT(child, environment);
  prof::process::report_if_untraceable(dir, path, flags);
  prof::core::g_doors.before_exit();
  prof::core::end_thinning();
  return PROF_REAL(execveat, int, (int, const char*, Strings, Strings, int))(dir, path, arguments,
                                                                             child.get(), flags);
}

PROF_WRAPPER(fexecve, int, (int fd, Strings arguments, Strings environment)) {
  PROF_CHILD_ENVIRONMENT(child, environment);
  prof::process::report_if_untraceable(fd, "", AT_EMPTY_PATH);
  prof::core::g_doors.before_exit();
  prof::core::end_thinning();
  return PROF_REAL(fexecve, int, (int, Strings, Strings))(fd, arguments, child.get());
}
