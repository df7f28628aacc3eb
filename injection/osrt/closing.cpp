// Functions that close a descriptor or make it refer to another file. The access of the descriptor
// is forgotten before the call (descriptors.hpp).
#include <dirent.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "injection/core/record/wrap.hpp"
#include "injection/osrt/file_calls.hpp"
#include "injection/osrt/functions.hpp"

namespace {

using namespace prof::osrt;
using prof::core::Function;

// Reports the descriptors that one call closes. This happens before the call, because there may be
// more descriptors than prof can store.
void report_closed(std::uint32_t access, void* function) {
  const std::uint64_t now = prof::core::now();
  const prof::core::Call call{now, 0, 0};
  FileCall{call, now, *static_cast<Function*>(function), 0}.also_on(access, Operation::kClose);
}

void closes(Function function, unsigned first, unsigned last) {
  if (follows_files()) take_accesses(first, last, report_closed, &function);
}

}  // namespace

#define OSRT_CLOSE(symbol, name, params, args, fd)                                    \
  PROF_REAL_SLOT(symbol, nullptr)                                                     \
  PROF_THINNED_WRAPPER(symbol, int, params, OSRT_FUNCTION(name)) {                    \
    const auto real = PROF_REAL(symbol, int, params);                                 \
    return recorded_closing(                                                          \
        OSRT_FUNCTION(name), fd, [&] { return real args; },                           \
        [](const FileCall& done, int, std::uint32_t access)                           \
            __attribute__((cold, noinline)) { done.on(access, Operation::kClose); }); \
  }

OSRT_CLOSE(close, close, (int fd), (fd), fd)
OSRT_CLOSE(__close, close, (int fd), (fd), fd)
OSRT_CLOSE(fclose, fclose, (FILE * stream), (stream), descriptor_of(stream))
OSRT_CLOSE(_IO_fclose, fclose, (FILE * stream), (stream), descriptor_of(stream))
OSRT_CLOSE(pclose, pclose, (FILE * stream), (stream), descriptor_of(stream))
OSRT_CLOSE(closedir, closedir, (DIR * folder), (folder), folder == nullptr ? -1 : dirfd(folder))

// Defines a function that copies a descriptor. A copy of a descriptor onto itself closes nothing.
#define OSRT_DUP(symbol, name, params, args)                                  \
  PROF_REAL_SLOT(symbol, nullptr)                                             \
  PROF_THINNED_WRAPPER(symbol, int, params, OSRT_FUNCTION(name)) {            \
    const auto real = PROF_REAL(symbol, int, params);                         \
    return recorded_closing(                                                  \
        OSRT_FUNCTION(name), from == to ? -1 : to, [&] { return real args; }, \
        [&](const FileCall& done, int result, std::uint32_t access)           \
            __attribute__((cold, noinline)) {                                 \
              if (result < 0) restore_access(to, access);                     \
              if (result < 0 || from == to) return done.on_no_file();         \
              done.opens_copy(from);                                          \
              done.also_on(access, Operation::kClose);                        \
            });                                                               \
  }
OSRT_DUP(dup2, dup2, (int from, int to), (from, to))
OSRT_DUP(__dup2, dup2, (int from, int to), (from, to))
OSRT_DUP(dup3, dup3, (int from, int to, int flags), (from, to, flags))

#define OSRT_REOPEN(name)                                                                      \
  PROF_REAL_SLOT(name, nullptr)                                                                \
  PROF_THINNED_WRAPPER(name, FILE*, (const char* path, const char* modes, FILE* stream),       \
                       OSRT_FUNCTION(name)) {                                                  \
    const auto real = PROF_REAL(name, FILE*, (const char*, const char*, FILE*));               \
    return recorded_closing(                                                                   \
        OSRT_FUNCTION(name), descriptor_of(stream), [&] { return real(path, modes, stream); }, \
        [&](const FileCall& done, FILE* result, std::uint32_t access)                          \
            __attribute__((cold, noinline)) {                                                  \
              done.opens_stream(result, path);                                                 \
              done.also_on(access, Operation::kClose);                                         \
            });                                                                                \
  }
OSRT_REOPEN(freopen)
OSRT_REOPEN(freopen64)

PROF_REAL_SLOT(close_range, nullptr)
PROF_THINNED_WRAPPER(close_range, int, (unsigned first, unsigned last, int flags),
                     OSRT_FUNCTION(close_range)) {
  const auto real = PROF_REAL(close_range, int, (unsigned, unsigned, int));
  if ((flags & CLOSE_RANGE_CLOEXEC) == 0) closes(OSRT_FUNCTION(close_range), first, last);
  return prof::core::recorded_awake(OSRT_FUNCTION(close_range),
                                    [&] { return real(first, last, flags); });
}

PROF_REAL_SLOT(closefrom, nullptr)
PROF_THINNED_WRAPPER(closefrom, void, (int first), OSRT_FUNCTION(closefrom)) {
  const auto real = PROF_REAL(closefrom, void, (int));
  closes(OSRT_FUNCTION(closefrom), first < 0 ? 0 : static_cast<unsigned>(first), ~0U);
  prof::core::recorded_awake(OSRT_FUNCTION(closefrom), [&] { real(first); });
}

// signalfd creates a descriptor, or sets the signals of an existing one.
PROF_REAL_SLOT(signalfd, nullptr)
PROF_THINNED_WRAPPER(signalfd, int, (int fd, const sigset_t* mask, int flags),
                     OSRT_FUNCTION(signalfd)) {
  const auto real = PROF_REAL(signalfd, int, (int, const sigset_t*, int));
  return recorded_on_file(
      OSRT_FUNCTION(signalfd), [&] { return real(fd, mask, flags); },
      [&](const FileCall& done, int) __attribute__((cold, noinline)) {
        if (fd == -1) return done.opens_nameless("anon_inode:[signalfd]");
        done.uses(fd);
      });
}
