#include "collector/live/files/file_locks.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

#include "common/base/proc_file.hpp"
#include "common/base/proc_ids.hpp"

namespace prof::live {

namespace {

constexpr std::size_t kLargestLockTable = std::size_t{8} << 20;
constexpr std::string_view kLockKey = "lock:";

// A line of /proc/locks or, after "lock:", of /proc/PID/fdinfo/FD. It is
// "2: FLOCK  ADVISORY  WRITE 2472 fe:00:10952771 0 EOF". Lines of those that wait for this lock
// follow it, with the same number and an arrow: "2:  -> FLOCK …".
struct LockLine {
  bool waits = false;
  std::string kind;
  pid_t pid = 0;  // -1: the lock belongs to an open file
  std::uint64_t inode = 0;
};

std::optional<LockLine> parse(std::string_view line) {
  std::istringstream words{std::string(line)};
  LockLine lock;
  std::string number, mode, access, file;
  words >> number >> lock.kind;
  lock.waits = lock.kind == "->";
  if (lock.waits) words >> lock.kind;
  if (!(words >> mode >> access >> lock.pid >> file)) return {};
  const std::size_t colon = file.rfind(':');
  if (colon == std::string::npos) return {};
  lock.inode = base::number_in(std::string_view(file).substr(colon + 1));
  return lock;
}

const char* name_of(FileLockKind kind) {
  switch (kind) {
    case FileLockKind::kFlock:
      return "FLOCK";
    case FileLockKind::kPosix:
      return "POSIX";
    case FileLockKind::kOpenDescription:
      return "OFDLCK";
  }
  return "";
}

// The locks of flock() and those of fcntl() do not exclude each other.
bool is_of_flock(std::string_view kind) { return kind == "FLOCK"; }

std::string descriptor_info(pid_t pid, int fd) {
  return base::read_proc_file(
      base::proc_path(base::living_thread(pid), fmt::format("fdinfo/{}", fd)));
}

// Kernels before 5.14 do not show the inode in fdinfo.
std::uint64_t inode_of(pid_t pid, int fd) {
  const std::string info = descriptor_info(pid, fd);
  if (const std::uint64_t inode = base::number_in(base::status_value(info, "ino")); inode != 0)
    return inode;
  struct stat file {};
  const std::string path = base::proc_path(base::living_thread(pid), fmt::format("fd/{}", fd));
  return stat(path.c_str(), &file) == 0 ? file.st_ino : 0;
}

// True if a descriptor of the process has a lock of this kind on the file.
bool holds(pid_t pid, std::uint64_t inode, bool is_flock) {
  for (const int fd : base::ids_in(base::proc_path(base::living_thread(pid), "fdinfo"))) {
    std::istringstream lines(descriptor_info(pid, fd));
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with(kLockKey)) continue;
      const auto lock = parse(std::string_view(line).substr(kLockKey.size()));
      if (lock && lock->inode == inode && is_of_flock(lock->kind) == is_flock) return true;
    }
  }
  return false;
}

// Returns the process that has taken the lock that the other one waits for; 0: not known.
pid_t taker(pid_t waiting, std::uint64_t inode, FileLockKind kind) {
  const pid_t shown = kind == FileLockKind::kOpenDescription ? -1 : waiting;
  std::istringstream lines(base::read_proc_file("/proc/locks", kLargestLockTable));
  pid_t last = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto lock = parse(line);
    if (!lock) continue;
    if (!lock->waits)
      last = lock->pid;
    else if (lock->pid == shown && lock->kind == name_of(kind) && lock->inode == inode)
      return std::max(last, 0);
  }
  return 0;
}

}  // namespace

std::vector<pid_t> file_lock_holders(pid_t waiting, std::uint64_t number, FileLockKind kind) {
  const std::uint64_t inode = inode_of(waiting, static_cast<std::int32_t>(number));
  if (inode == 0) return {};
  const bool is_flock = kind == FileLockKind::kFlock;
  const pid_t known = taker(waiting, inode, kind);
  // A process that took the lock may have left it to a child process and ended or closed the file.
  const bool is_unreadable =
      known != 0 && base::living_thread(known) != 0 &&
      access(base::proc_path(base::living_thread(known), "fdinfo").c_str(), R_OK) != 0;
  if (known != 0 && (is_unreadable || holds(known, inode, is_flock))) return {known};
  std::vector<pid_t> found;
  for (const pid_t each : base::ids_in("/proc"))
    if (each != getpid() && holds(each, inode, is_flock)) found.push_back(each);
  return found;
}

}  // namespace prof::live
