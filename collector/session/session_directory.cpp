#include "collector/session/session_directory.hpp"

#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <vector>

namespace prof::session {

namespace fs = std::filesystem;

namespace {

constexpr char kPrefix[] = "prof-";
constexpr std::size_t kLongestBase = 72;  // the socket's path has to fit in 107 bytes

std::vector<std::string> candidates() {
  std::vector<std::string> directories;
  for (const char* variable : {"XDG_RUNTIME_DIR", "TMPDIR"})
    if (const char* value = getenv(variable); value != nullptr && value[0] == '/')
      directories.emplace_back(value);
  directories.emplace_back("/tmp");
  return directories;
}

bool is_running(pid_t pid) { return kill(pid, 0) == 0 || errno == EPERM; }

// prof-<pid>-XXXXXX of this user, whose profiler does not run any more.
bool is_stale(const fs::directory_entry& entry) {
  const std::string name = entry.path().filename().string();
  if (!name.starts_with(kPrefix)) return false;
  pid_t pid = 0;
  const char* begin = name.data() + sizeof kPrefix - 1;
  const auto parsed = std::from_chars(begin, name.data() + name.size(), pid);
  if (parsed.ec != std::errc{} || *parsed.ptr != '-' || pid <= 0) return false;
  struct stat info {};
  return lstat(entry.path().c_str(), &info) == 0 && S_ISDIR(info.st_mode) &&
         info.st_uid == getuid() && !is_running(pid);
}

void remove_stale(const std::string& base) {
  std::error_code ignored;
  for (fs::directory_iterator at(base, ignored), end; at != end && !ignored; at.increment(ignored))
    if (is_stale(*at)) fs::remove_all(at->path(), ignored);
}

}  // namespace

base::Result<SessionDirectory> SessionDirectory::create() {
  int error = ENOENT;
  for (const std::string& base : candidates()) {
    if (base.size() > kLongestBase) continue;
    remove_stale(base);
    std::string path = base + "/" + kPrefix + std::to_string(getpid()) + "-XXXXXX";
    if (mkdtemp(path.data()) != nullptr) return SessionDirectory(path);
    error = errno;
  }
  return base::fail_errno("cannot create a session directory in $XDG_RUNTIME_DIR, $TMPDIR or /tmp",
                          error);
}

SessionDirectory::SessionDirectory(SessionDirectory&& other) noexcept
    : path_(std::move(other.path_)) {
  other.path_.clear();
}

SessionDirectory::~SessionDirectory() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

}  // namespace prof::session
