#include "exporters/analysis/analyze/program/waits/call_purpose.hpp"

#include "exporters/analysis/events/call_chains/symbol_names.hpp"

namespace prof::analyze {

namespace {

struct Purpose {
  CallPurpose purpose;
  std::string_view functions;  // names with a blank before and after each
};

constexpr Purpose kPurposes[] = {
    {CallPurpose::kTransfer,
     " read pread readv preadv preadv2 write pwrite writev pwritev pwritev2 recv recvfrom recvmsg "
     "send sendto sendmsg dprintf vdprintf fflush "},
    {CallPurpose::kBuffered,
     " fread fgets getline getdelim getc fgetc getchar getw fgetwc fgetws getwc fwrite fputs puts "
     "putc fputc putchar putw fputwc fputws putwc fprintf printf vfprintf vprintf "},
    {CallPurpose::kFlush, " fsync fdatasync sync syncfs sync_file_range msync aio_fsync "},
    {CallPurpose::kPoll,
     " poll ppoll select pselect pselect6 epoll_wait epoll_pwait epoll_pwait2 "},
    {CallPurpose::kSleep, " sleep usleep nanosleep clock_nanosleep thrd_sleep "},
    {CallPurpose::kYield, " sched_yield pthread_yield thrd_yield "},
    {CallPurpose::kAccept, " accept accept4 "},
    {CallPurpose::kMap, " mmap munmap mremap mprotect madvise brk sbrk posix_madvise "},
    {CallPurpose::kQuick,
     " open openat openat2 creat close fopen freopen fclose fdopen stat lstat fstat fstatat "
     "newfstatat statx access faccessat faccessat2 readlink readlinkat realpath getdents opendir "
     "readdir closedir rename renameat renameat2 unlink unlinkat remove mkdir mkdirat rmdir link "
     "linkat symlink symlinkat chmod fchmod chown fchown truncate ftruncate utimensat getcwd "
     "statfs fstatfs fseek fseeko rewind lseek ioctl fcntl dup dup2 dup3 getpid getppid gettid "
     "getuid geteuid getrusage times clock_gettime gettimeofday sched_getaffinity getrandom "
     "getentropy kill tgkill pthread_kill sigprocmask pthread_sigmask rt_sigprocmask sigaction "
     "rt_sigaction setsockopt getsockopt getsockname getpeername socket bind shutdown pipe pipe2 "
     "epoll_ctl eventfd eventfd_read eventfd_write timerfd_settime setitimer uname sysinfo prctl "
     "syscall "},
};

bool has_word(std::string_view list, std::string_view word) {
  for (std::size_t at = list.find(word); at != std::string_view::npos; at = list.find(word, at + 1))
    if (at > 0 && list[at - 1] == ' ' && list[at + word.size()] == ' ') return true;
  return false;
}

}  // namespace

CallPurpose purpose_of(std::string_view function) {
  const std::string_view name = events::base_name(function);
  if (name.empty() || name.find(' ') != std::string_view::npos) return CallPurpose::kOther;
  for (const Purpose& each : kPurposes)
    if (has_word(each.functions, name)) return each.purpose;
  return CallPurpose::kOther;
}

}  // namespace prof::analyze
