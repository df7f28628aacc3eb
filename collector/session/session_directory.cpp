#include "collector/session/session_directory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <vector>

#include "collector/base/folder.hpp"
#include "collector/session/admission/process_facts.hpp"
#include "injection/wire/handshake.hpp"

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

// prof-<pid>-XXXXXX of this user, whose profiler has ended.
bool is_stale(const std::string& place, std::string_view name) {
  if (!name.starts_with(kPrefix)) return false;
  pid_t pid = 0;
  const char* const end = name.data() + name.size();
  const auto parsed = std::from_chars(name.data() + sizeof kPrefix - 1, end, pid);
  if (parsed.ec != std::errc{} || parsed.ptr == end || *parsed.ptr != '-' || pid <= 0) return false;
  struct stat info {};
  return lstat(fmt::format("{}/{}", place, name).c_str(), &info) == 0 && S_ISDIR(info.st_mode) &&
         info.st_uid == getuid() && is_dead(pid);
}

void remove_stale_in(const std::string& place) {
  std::error_code ignored;
  base::for_each_name(place, [&](std::string_view name) {
    if (is_stale(place, name)) fs::remove_all(fmt::format("{}/{}", place, name), ignored);
  });
}

// Is it impossible for users other than this one and root to rename what is created there?
bool is_safe(const std::string& base) {
  struct stat info {};
  if (stat(base.c_str(), &info) != 0) return false;
  const bool trusted = info.st_uid == 0 || info.st_uid == geteuid();
  return trusted && ((info.st_mode & (S_IWGRP | S_IWOTH)) == 0 || (info.st_mode & S_ISVTX) != 0);
}

bool is_ours(const std::string& path, struct stat& info) {
  return lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid();
}

}  // namespace

void SessionDirectory::remove_stale() {
  for (const std::string& base : candidates()) remove_stale_in(base);
}

std::vector<std::string> SessionDirectory::safe_places() {
  std::vector<std::string> bases = candidates();
  std::erase_if(bases, [](const std::string& base) { return !is_safe(base); });
  return bases;
}

base::Result<SessionDirectory> SessionDirectory::create() {
  int error = ENOENT;
  std::vector<std::string> bases = candidates();
  std::stable_partition(bases.begin(), bases.end(), is_safe);
  for (const std::string& base : bases) {
    if (base.size() > kLongestBase) continue;
    std::string path = base + "/" + kPrefix + std::to_string(getpid()) + "-XXXXXX";
    struct stat info {};
    // chmod, because a umask can remove even the owner's rights.
    if (mkdtemp(path.data()) != nullptr && chmod(path.c_str(), 0700) == 0 && is_ours(path, info))
      return SessionDirectory(path, info.st_ino);
    error = errno;
  }
  return base::fail_errno("cannot create a session directory in $XDG_RUNTIME_DIR, $TMPDIR or /tmp",
                          error);
}

SessionDirectory::SessionDirectory(SessionDirectory&& other) noexcept
    : path_(std::move(other.path_)), inode_(other.inode_) {
  other.path_.clear();
}

bool SessionDirectory::is_intact() const {
  struct stat info {};
  return is_ours(path_, info) && info.st_ino == inode_ &&
         access(file(wire::kControlSocketName).c_str(), F_OK) == 0;
}

base::Status SessionDirectory::write_file(const std::string& name,
                                          const std::string& content) const {
  std::ofstream out(file(name), std::ios::binary);
  out << content << std::flush;
  // chmod because of the umask, as above.
  if (!out || chmod(file(name).c_str(), S_IRUSR) != 0)
    return base::fail_errno("cannot write " + file(name), errno);
  return {};
}

base::Result<base::UniqueFd> SessionDirectory::make_pipe(const std::string& name) const {
  const std::string path = file(name);
  // chmod because of the umask, as above.
  if (mkfifo(path.c_str(), 0600) != 0 || chmod(path.c_str(), 0600) != 0)
    return base::fail_errno("cannot create the pipe " + path, errno);
  // O_RDWR, so that the pipe always has a writer.
  base::UniqueFd pipe(open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
  if (!pipe) return base::fail_errno("cannot open the pipe " + path, errno);
  return pipe;
}

SessionDirectory::~SessionDirectory() {
  std::error_code ignored;
  struct stat info {};
  if (!path_.empty() && is_ours(path_, info) && info.st_ino == inode_)
    fs::remove_all(path_, ignored);
}

}  // namespace prof::session
