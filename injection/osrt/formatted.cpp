// The printf family and syslog: variadic functions, forwarded to those that take a va_list. There
// is no va_end: it does nothing on x86-64, and a cancelled thread would not reach it.
#include <stdarg.h>
#include <stdio.h>
#include <syslog.h>

#include "injection/core/wrap.hpp"
#include "injection/osrt/functions.hpp"

#define OSRT_UNPACK(...) __VA_ARGS__

// `params` and `args`: what comes before the variable arguments; the last of them is `format`.
#define OSRT_FORMATTED(symbol, name, list_symbol, ret, params, args)              \
  PROF_REAL_SLOT(list_symbol, nullptr)                                            \
  PROF_WRAPPER(symbol, ret, (OSRT_UNPACK params, ...)) {                          \
    const auto real = PROF_REAL(list_symbol, ret, (OSRT_UNPACK params, va_list)); \
    va_list list;                                                                 \
    va_start(list, format);                                                       \
    return ::prof::core::recorded(OSRT_FUNCTION(name),                            \
                                  [&] { return real(OSRT_UNPACK args, list); });  \
  }

OSRT_FORMATTED(printf, printf, vprintf, int, (const char* format), (format))
OSRT_FORMATTED(fprintf, fprintf, vfprintf, int, (FILE * stream, const char* format),
               (stream, format))
OSRT_FORMATTED(dprintf, dprintf, vdprintf, int, (int fd, const char* format), (fd, format))
OSRT_FORMATTED(syslog, syslog, vsyslog, void, (int priority, const char* format),
               (priority, format))
OSRT_FORMATTED(__printf_chk, printf, __vprintf_chk, int, (int check, const char* format),
               (check, format))
OSRT_FORMATTED(__fprintf_chk, fprintf, __vfprintf_chk, int,
               (FILE * stream, int check, const char* format), (stream, check, format))
OSRT_FORMATTED(__dprintf_chk, dprintf, __vdprintf_chk, int, (int fd, int check, const char* format),
               (fd, check, format))
OSRT_FORMATTED(__syslog_chk, syslog, __vsyslog_chk, void,
               (int priority, int check, const char* format), (priority, check, format))
