// The wrappers that osrt.def generates.
#include <aio.h>
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <grp.h>
#include <mqueue.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/acct.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/fanotify.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/ptrace.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/swap.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <termios.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>
#include <wchar.h>

#include "injection/core/record/wrap.hpp"
#include "injection/osrt/file_access.hpp"
#include "injection/osrt/functions.hpp"

namespace {

using namespace prof::osrt;

std::int64_t to_bytes(size_t bytes) { return static_cast<std::int64_t>(bytes); }
std::int64_t length_of(const char* text) { return text == nullptr ? 0 : to_bytes(strlen(text)); }

void note_record_lock(bool takes) {
  if (takes) prof::core::g_process.takes_record_locks.store(true, std::memory_order_relaxed);
}

std::int64_t bytes_of(const mmsghdr* messages, int count) {
  std::int64_t bytes = 0;
  for (int i = 0; i < count; ++i) bytes += messages[i].msg_len;
  return bytes;
}

}  // namespace

#define OSRT_LOCK_fcntl note_record_lock(command == F_SETLK || command == F_SETLKW)
#define OSRT_LOCK_fcntl64 note_record_lock(cmd == F_SETLK || cmd == F_SETLKW)
#define OSRT_LOCK_lockf note_record_lock(true)
#define OSRT_LOCK_lockf64 note_record_lock(true)

#define OSRT_FILE_RECORD(symbol, name, ret, params, args)           \
  const auto real_ = PROF_REAL(symbol, ret, params);                \
  if (!prof::core::records_calls_awake()) return real_ args;        \
  return certainly_recorded_on_file(                                \
      OSRT_FUNCTION(name), [&] { return real_ args; },              \
      [=](const FileCall& done, [[maybe_unused]] const auto result) \
          __attribute__((cold, noinline)) { OSRT_FILE_##name; });
#define OSRT_FILE_WRAPPER(symbol, name, ret, params, args, version) \
  PROF_REAL_SLOT(symbol, version)                                   \
  PROF_THINNED_WRAPPER(symbol, ret, params, OSRT_FUNCTION(name)) {  \
    OSRT_FILE_RECORD(symbol, name, ret, params, args)               \
  }
// Wrappers of functions that take record locks. They have no gate, because prof must know of record
// locks even while nobody collects.
#define OSRT_LOCKING_WRAPPER(symbol, name, ret, params, args, version)           \
  PROF_REAL_SLOT(symbol, version)                                                \
  PROF_WRAPPER(symbol, ret, params) {                                            \
    OSRT_LOCK_##name;                                                            \
    if (prof::core::is_dormant() || prof::core::leaves_out(OSRT_FUNCTION(name))) \
      return PROF_REAL(symbol, ret, params) args;                                \
    OSRT_FILE_RECORD(symbol, name, ret, params, args)                            \
  }

#define OSRT_WRAPPER_plain(name, ret, params, args, version) \
  PROF_RECORDING_WRAPPER(name, ret, params, args, version, OSRT_FUNCTION(name))
#define OSRT_WRAPPER_file(name, ret, params, args, version) \
  OSRT_FILE_WRAPPER(name, name, ret, params, args, version)
#define OSRT_WRAPPER_locking(name, ret, params, args, version) \
  OSRT_LOCKING_WRAPPER(name, name, ret, params, args, version)
#define OSRT_WRAPPER_special(name, ret, params, args, version)
#define OSRT_ALIAS_plain(symbol, name, ret, params, args) \
  PROF_RECORDING_WRAPPER(symbol, ret, params, args, nullptr, OSRT_FUNCTION(name))
#define OSRT_ALIAS_file(symbol, name, ret, params, args) \
  OSRT_FILE_WRAPPER(symbol, name, ret, params, args, nullptr)
#define OSRT_ALIAS_locking(symbol, name, ret, params, args) \
  OSRT_LOCKING_WRAPPER(symbol, name, ret, params, args, nullptr)
#define OSRT_ALIAS_special(symbol, name, ret, params, args)
#define OSRT_VERSION_plain(id, name, ret, params, args, version) \
  PROF_RECORDING_VERSION(id, name, ret, params, args, version, OSRT_FUNCTION(name))
#define OSRT_VERSION_special(id, name, ret, params, args, version)

#define OSRT(name, ret, params, args, category, flags, version) \
  OSRT_WRAPPER_##flags(name, ret, params, args, version)
#define OSRT_ALIAS(symbol, name, ret, params, args, flags) \
  OSRT_ALIAS_##flags(symbol, name, ret, params, args)
#define OSRT_VERSION(id, name, ret, params, args, flags, version) \
  OSRT_VERSION_##flags(id, name, ret, params, args, version)
#include "common/wire/functions/osrt.def"
