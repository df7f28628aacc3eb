#include "collector/session/interactive/session_registry.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "collector/base/folder.hpp"
#include "collector/session/unix_socket.hpp"

namespace prof::session {

using base::UniqueFd;

namespace {

namespace fs = std::filesystem;

constexpr char kEscape = '%';
constexpr int kMostCommands = 64;                // commands
constexpr char kCommandsEnding[] = ".commands";  // names of sessions have no dot here

// A session that was started with XDG_RUNTIME_DIR is found without it, and the other way round, as
// long as both terminals belong to one login or the variable has its usual value.
std::vector<std::string> registry_folders() {
  std::vector<std::string> folders;
  const std::string user = std::to_string(geteuid());
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && runtime[0] == '/') folders.push_back(std::string(runtime) + "/prof");
  folders.push_back("/run/user/" + user + "/prof");
  folders.push_back("/tmp/prof-" + user);
  folders.erase(std::unique(folders.begin(), folders.end()), folders.end());
  return folders;
}

bool is_private(const std::string& folder) {
  struct stat info {};
  return lstat(folder.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid() &&
         (info.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

base::Result<std::string> make_folder() {
  int error = ENOENT;
  for (const std::string& folder : registry_folders()) {
    // chmod, because a umask can remove even the owner's rights.
    if (mkdir(folder.c_str(), 0700) == 0) static_cast<void>(chmod(folder.c_str(), 0700));
    error = errno;
    if (is_private(folder)) return folder;
  }
  return base::fail_errno("cannot create a folder for sessions (" + registry_folders().back() +
                              ", of mode 0700 and this user's)",
                          error == EEXIST ? EPERM : error);
}

bool needs_escape(char c) { return c == '/' || c == kEscape || c == '.' || c == '\0'; }

std::string file_of(const std::string& name) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string file;
  for (const char c : name) {
    if (!needs_escape(c)) {
      file += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    file += {kEscape, kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return file;
}

std::string name_of(const std::string& file) {
  std::string name;
  for (std::size_t i = 0; i < file.size(); ++i) {
    if (file[i] != kEscape || i + 2 >= file.size()) {
      name += file[i];
      continue;
    }
    name += static_cast<char>(std::strtol(file.substr(i + 1, 2).c_str(), nullptr, 16));
    i += 2;
  }
  return name;
}

// A session that is stopped accepts nothing, and connect() would wait for it.
UniqueFd connect_at(const std::string& path) {
  constexpr timeval kPatience{5, 0};
  sockaddr_un address;
  UniqueFd connection(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  setsockopt(connection.get(), SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof kPatience);
  if (!address_of(path, address) ||
      connect(connection.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
    return {};
  return connection;
}

// Removes a socket whose collector was killed. Returns whether somebody listens.
bool is_alive(const std::string& path) {
  if (connect_at(path) || errno == EAGAIN) return true;
  if (errno == ECONNREFUSED) {
    unlink(path.c_str());
    unlink((path + kCommandsEnding).c_str());
    rmdir(fs::path(path).parent_path().c_str());  // only if it is empty now
  }
  return false;
}

}  // namespace

base::Result<SessionSocket> SessionSocket::create(const std::string& name) {
  for (const std::string& folder : registry_folders())
    if (is_private(folder) && is_alive(folder + "/" + file_of(name)))
      return base::fail("there is a session " + name + " already; use --session=" + name +
                        ", or another name");
  constexpr int kTries = 10;  // another session may remove the empty folder at this moment
  for (int i = 0;; ++i) {
    const auto folder = make_folder();
    if (!folder) return tl::make_unexpected(folder.error());
    const std::string path = *folder + "/" + file_of(name);
    UniqueFd listener = listen_at(path, SOCK_SEQPACKET, kMostCommands);
    if (listener) return SessionSocket(path, std::move(listener));
    if (errno != ENOENT || i == kTries)
      return base::fail_errno("cannot create the socket " + path, errno);
  }
}

SessionSocket::SessionSocket(SessionSocket&& other) noexcept
    : path_(std::exchange(other.path_, {})), fd_(std::move(other.fd_)) {}

std::string SessionSocket::commands_path() const { return path_ + kCommandsEnding; }

SessionSocket::~SessionSocket() {
  if (path_.empty()) return;
  unlink(path_.c_str());
  rmdir(fs::path(path_).parent_path().c_str());  // only if it was the last
}

std::vector<std::string> session_names() {
  std::vector<std::string> names;
  for (const std::string& folder : registry_folders()) {
    if (!is_private(folder)) continue;
    std::vector<std::string> files;
    base::for_each_name(folder, [&](std::string_view name) { files.emplace_back(name); });
    for (const std::string& file : files)
      if (!file.ends_with(kCommandsEnding) && is_alive(folder + "/" + file))
        names.push_back(name_of(file));
  }
  std::sort(names.begin(), names.end());
  return names;
}

UniqueFd connect_to_session(const std::string& name) {
  for (const std::string& folder : registry_folders())
    if (is_private(folder))
      if (UniqueFd connection = connect_at(folder + "/" + file_of(name))) return connection;
  return {};
}

}  // namespace prof::session
