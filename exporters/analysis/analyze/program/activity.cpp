#include "exporters/analysis/analyze/program/activity.hpp"

#include <algorithm>
#include <iterator>

namespace prof::analyze {

namespace {

struct Wait {
  std::string_view function;
  Activity activity;
};

// Functions that may block, sorted by name. Large-file and fortified variants are not listed.
constexpr Wait kWaits[] = {
    {"accept", Activity::kNetwork},
    {"accept4", Activity::kNetwork},
    {"clock_nanosleep", Activity::kSleep},
    {"close", Activity::kFile},
    {"cnd_timedwait", Activity::kThreads},
    {"cnd_wait", Activity::kThreads},
    {"connect", Activity::kNetwork},
    {"copy_file_range", Activity::kFile},
    {"creat", Activity::kFile},
    {"dprintf", Activity::kInput},
    {"epoll_pwait", Activity::kInput},
    {"epoll_pwait2", Activity::kInput},
    {"epoll_wait", Activity::kInput},
    {"fallocate", Activity::kFile},
    {"fclose", Activity::kFile},
    {"fcntl", Activity::kLock},
    {"fdatasync", Activity::kFile},
    {"fflush", Activity::kInput},
    {"fgetc", Activity::kInput},
    {"fgets", Activity::kInput},
    {"flock", Activity::kLock},
    {"flockfile", Activity::kLock},
    {"fopen", Activity::kFile},
    {"fprintf", Activity::kInput},
    {"fputc", Activity::kInput},
    {"fputs", Activity::kInput},
    {"fread", Activity::kInput},
    {"fstat", Activity::kFile},
    {"fstatat", Activity::kFile},
    {"fsync", Activity::kFile},
    {"ftruncate", Activity::kFile},
    {"futex", Activity::kThreads},
    {"fwrite", Activity::kInput},
    {"getaddrinfo", Activity::kNetwork},
    {"getc", Activity::kInput},
    {"getchar", Activity::kInput},
    {"getdelim", Activity::kInput},
    {"getdents", Activity::kFile},
    {"gethostbyname", Activity::kNetwork},
    {"getline", Activity::kInput},
    {"getnameinfo", Activity::kNetwork},
    {"lockf", Activity::kLock},
    {"lstat", Activity::kFile},
    {"mkdir", Activity::kFile},
    {"mq_receive", Activity::kThreads},
    {"mq_send", Activity::kThreads},
    {"mq_timedreceive", Activity::kThreads},
    {"mq_timedsend", Activity::kThreads},
    {"msgrcv", Activity::kThreads},
    {"msgsnd", Activity::kThreads},
    {"msync", Activity::kFile},
    {"mtx_lock", Activity::kLock},
    {"mtx_timedlock", Activity::kLock},
    {"nanosleep", Activity::kSleep},
    {"open", Activity::kFile},
    {"openat", Activity::kFile},
    {"opendir", Activity::kFile},
    {"pause", Activity::kSleep},
    {"pclose", Activity::kChildren},
    {"poll", Activity::kInput},
    {"posix_fallocate", Activity::kFile},
    {"posix_spawn", Activity::kChildren},
    {"posix_spawnp", Activity::kChildren},
    {"ppoll", Activity::kInput},
    {"pread", Activity::kFile},
    {"preadv", Activity::kFile},
    {"preadv2", Activity::kFile},
    {"printf", Activity::kInput},
    {"pselect", Activity::kInput},
    {"pthread_barrier_wait", Activity::kThreads},
    {"pthread_clockjoin_np", Activity::kThreads},
    {"pthread_cond_clockwait", Activity::kThreads},
    {"pthread_cond_timedwait", Activity::kThreads},
    {"pthread_cond_wait", Activity::kThreads},
    {"pthread_join", Activity::kThreads},
    {"pthread_mutex_clocklock", Activity::kLock},
    {"pthread_mutex_lock", Activity::kLock},
    {"pthread_mutex_timedlock", Activity::kLock},
    {"pthread_rwlock_clockrdlock", Activity::kLock},
    {"pthread_rwlock_clockwrlock", Activity::kLock},
    {"pthread_rwlock_rdlock", Activity::kLock},
    {"pthread_rwlock_timedrdlock", Activity::kLock},
    {"pthread_rwlock_timedwrlock", Activity::kLock},
    {"pthread_rwlock_wrlock", Activity::kLock},
    {"pthread_spin_lock", Activity::kLock},
    {"pthread_timedjoin_np", Activity::kThreads},
    {"putc", Activity::kInput},
    {"putchar", Activity::kInput},
    {"puts", Activity::kInput},
    {"pwrite", Activity::kFile},
    {"pwritev", Activity::kFile},
    {"pwritev2", Activity::kFile},
    {"read", Activity::kInput},
    {"readahead", Activity::kFile},
    {"readdir", Activity::kFile},
    {"readlink", Activity::kFile},
    {"readv", Activity::kInput},
    {"realpath", Activity::kFile},
    {"recv", Activity::kNetwork},
    {"recvfrom", Activity::kNetwork},
    {"recvmmsg", Activity::kNetwork},
    {"recvmsg", Activity::kNetwork},
    {"remove", Activity::kFile},
    {"rename", Activity::kFile},
    {"renameat", Activity::kFile},
    {"renameat2", Activity::kFile},
    {"rmdir", Activity::kFile},
    {"select", Activity::kInput},
    {"sem_clockwait", Activity::kThreads},
    {"sem_timedwait", Activity::kThreads},
    {"sem_wait", Activity::kThreads},
    {"semop", Activity::kThreads},
    {"semtimedop", Activity::kThreads},
    {"send", Activity::kNetwork},
    {"sendfile", Activity::kInput},
    {"sendmmsg", Activity::kNetwork},
    {"sendmsg", Activity::kNetwork},
    {"sendto", Activity::kNetwork},
    {"sigsuspend", Activity::kSleep},
    {"sigtimedwait", Activity::kSleep},
    {"sigwait", Activity::kSleep},
    {"sigwaitinfo", Activity::kSleep},
    {"sleep", Activity::kSleep},
    {"splice", Activity::kInput},
    {"stat", Activity::kFile},
    {"statx", Activity::kFile},
    {"sync", Activity::kFile},
    {"sync_file_range", Activity::kFile},
    {"syncfs", Activity::kFile},
    {"system", Activity::kChildren},
    {"tee", Activity::kInput},
    {"thrd_join", Activity::kThreads},
    {"thrd_sleep", Activity::kSleep},
    {"truncate", Activity::kFile},
    {"unlink", Activity::kFile},
    {"unlinkat", Activity::kFile},
    {"usleep", Activity::kSleep},
    {"vmsplice", Activity::kInput},
    {"wait", Activity::kChildren},
    {"wait3", Activity::kChildren},
    {"wait4", Activity::kChildren},
    {"waitid", Activity::kChildren},
    {"waitpid", Activity::kChildren},
    {"write", Activity::kInput},
    {"writev", Activity::kInput},
};
static_assert(std::is_sorted(std::begin(kWaits), std::end(kWaits),
                             [](const Wait& a, const Wait& b) { return a.function < b.function; }));

// Returns "read" for "__read64_chk" and "fgets" for "fgets_unlocked", which are variants of these
// functions.
std::string_view without_variant(std::string_view function) {
  if (function.starts_with("__")) function.remove_prefix(2);
  for (const std::string_view suffix : {"_chk", "_unlocked", "64"})
    if (function.ends_with(suffix)) function.remove_suffix(suffix.size());
  return function;
}

}  // namespace

Activity wait_of(std::string_view function) {
  const std::string_view name = without_variant(function);
  const auto at =
      std::lower_bound(std::begin(kWaits), std::end(kWaits), name,
                       [](const Wait& a, std::string_view b) { return a.function < b; });
  return at != std::end(kWaits) && at->function == name ? at->activity : Activity::kUnknown;
}

std::size_t rank_of(Activity activity) {
  switch (activity) {
    case Activity::kRunning:
    case Activity::kNeedsCpu:
    case Activity::kLock:
    case Activity::kGil:
    case Activity::kFile:
      return 0;
    case Activity::kNetwork:
    case Activity::kInput:
    case Activity::kSleep:
      return 1;
    case Activity::kThreads:
    case Activity::kChildren:
    case Activity::kUnknown:
      break;
  }
  return 2;
}

}  // namespace prof::analyze
