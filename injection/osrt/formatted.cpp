// The printf family and syslog. These variadic functions are forwarded to the functions that take a
// va_list. va_end is not called: it does nothing on x86-64, and a cancelled thread would not reach
// it.
#include <stdarg.h>
#include <stdio.h>
#include <syslog.h>

#include "injection/core/record/wrap.hpp"
#include "injection/osrt/file_calls.hpp"
#include "injection/osrt/functions.hpp"

#define OSRT_UNPACK(...) __VA_ARGS__

// `params` and `args` are the parameters before the variable arguments. The last is `format`.
#define OSRT_FORMATTED_START(symbol, name, list_symbol, ret, params)                    \
  PROF_STAND_IN_SLOT(symbol, nullptr)                                                   \
  PROF_LIBC_SLOT(list_of_##symbol, list_symbol)                                         \
  PROF_THINNED_WRAPPER(symbol, ret, (OSRT_UNPACK params, ...), OSRT_FUNCTION(name)) {   \
    const auto real = PROF_FOUND(list_of_##symbol, ret, (OSRT_UNPACK params, va_list)); \
    va_list list;                                                                       \
    va_start(list, format);

#define OSRT_FORMATTED(symbol, name, list_symbol, params, args, descriptor)                    \
  OSRT_FORMATTED_START(symbol, name, list_symbol, int, params)                                 \
  const int written = prof::osrt::recorded_on_file(                                            \
      OSRT_FUNCTION(name), [&] { return real(OSRT_UNPACK args, list); },                       \
      [&](const prof::osrt::FileCall& done, int result) { done.writes(descriptor, result); }); \
  va_end(list);                                                                                \
  return written;                                                                              \
  }

#define OSRT_LOGGED(symbol, name, list_symbol, params, args)                                     \
  OSRT_FORMATTED_START(symbol, name, list_symbol, void, params)                                  \
  prof::core::recorded_awake(OSRT_FUNCTION(name), [&] { return real(OSRT_UNPACK args, list); }); \
  va_end(list);                                                                                  \
  }

using prof::osrt::descriptor_of;

OSRT_FORMATTED(printf, printf, vprintf, (const char* format), (format), descriptor_of(stdout))
OSRT_FORMATTED(fprintf, fprintf, vfprintf, (FILE * stream, const char* format), (stream, format),
               descriptor_of(stream))
OSRT_FORMATTED(dprintf, dprintf, vdprintf, (int fd, const char* format), (fd, format), fd)
OSRT_LOGGED(syslog, syslog, vsyslog, (int priority, const char* format), (priority, format))
OSRT_FORMATTED(__printf_chk, printf, __vprintf_chk, (int check, const char* format),
               (check, format), descriptor_of(stdout))
OSRT_FORMATTED(__fprintf_chk, fprintf, __vfprintf_chk,
               (FILE * stream, int check, const char* format), (stream, check, format),
               descriptor_of(stream))
OSRT_FORMATTED(__dprintf_chk, dprintf, __vdprintf_chk, (int fd, int check, const char* format),
               (fd, check, format), fd)
OSRT_LOGGED(__syslog_chk, syslog, __vsyslog_chk, (int priority, int check, const char* format),
            (priority, check, format))
