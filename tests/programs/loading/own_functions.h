/* Functions of a library that have the names of all functions that prof wraps, but other
 * parameters. */
#pragma once

#define PARAMETERS \
  (long a, long b, long c, long d, long e, long f, long g, long h, double x, double y)
#define ARGUMENTS (1, 2, 3, 4, 5, 6, 7, 8, 0.25, 0.5)
#define SUM (double)(a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h) + x + 2 * y

#define FOR_EACH_FUNCTION(FUNCTION) \
  FUNCTION(system)                  \
  FUNCTION(popen)                   \
  FUNCTION(posix_spawn)             \
  FUNCTION(posix_spawnp)            \
  FUNCTION(syscall)                 \
  FUNCTION(mlockall)                \
  FUNCTION(execve)                  \
  FUNCTION(execv)                   \
  FUNCTION(execvp)                  \
  FUNCTION(execvpe)                 \
  FUNCTION(execl)                   \
  FUNCTION(execlp)                  \
  FUNCTION(execle)                  \
  FUNCTION(execveat)                \
  FUNCTION(fexecve)                 \
  FUNCTION(clone)                   \
  FUNCTION(prctl)                   \
  FUNCTION(setrlimit)               \
  FUNCTION(prlimit)                 \
  FUNCTION(dlclose)                 \
  FUNCTION(pthread_setname_np)      \
  FUNCTION(sigaction)               \
  FUNCTION(sigprocmask)             \
  FUNCTION(pthread_sigmask)         \
  FUNCTION(sigaltstack)             \
  FUNCTION(signal)
