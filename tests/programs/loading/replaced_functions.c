/* Replaces functions of libc, as libraries for tests and for tracing builds do. */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int say(const char* what) {
  char line[64];
  const int length = snprintf(line, sizeof line, "replaced %s\n", what);
  return write(1, line, (size_t)length) == length ? 77 : -1;
}

#define REPLACE(name, params) \
  int name params { return say(#name); }
REPLACE(printf, (const char* format, ...))
REPLACE(fprintf, (FILE * stream, const char* format, ...))
REPLACE(dprintf, (int fd, const char* format, ...))
REPLACE(execv, (const char* path, char* const* arguments))
REPLACE(execvp, (const char* file, char* const* arguments))
REPLACE(execl, (const char* path, const char* first, ...))
REPLACE(execlp, (const char* file, const char* first, ...))
REPLACE(execle, (const char* path, const char* first, ...))
REPLACE(execve, (const char* path, char* const* arguments, char* const* environment))
REPLACE(pthread_mutex_lock, (pthread_mutex_t * mutex))
REPLACE(pthread_rwlock_rdlock, (pthread_rwlock_t * lock))
REPLACE(listen, (int fd, int backlog))
REPLACE(system, (const char* command))
void syslog(int priority, const char* format, ...) {
  (void)priority;
  say(format);
}
