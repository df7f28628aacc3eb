#include "collector/session/interactive/session_registry.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "collector/session/unix_socket.hpp"
#include "common/base/folder.hpp"
#include "common/base/held/held_file.hpp"
#include "common/base/held/temporary_places.hpp"

namespace prof::session {

using base::UniqueFd;

namespace {

namespace fs = std::filesystem;

constexpr mode_t kPrivate = 0700;
constexpr char kEscape = '%';
constexpr int kMaxCommands = 64;                 // commands
constexpr char kCommandsEnding[] = ".commands";  // names of sessions have no dot here

// Returns the folders that may have sessions. A session that was started with XDG_RUNTIME_DIR is
// found without it, and the other way round, as long as both terminals belong to one login or the
// variable has its usual value. TMPDIR is for a machine whose /tmp cannot be written to.
std::vector<std::string> possible_folders() {
  std::vector<std::string> folders;
  const std::string user = std::to_string(geteuid());
  if (const std::string runtime = base::folder_in_variable("XDG_RUNTIME_DIR"); !runtime.empty())
    folders.push_back(runtime + "/prof");
  folders.push_back("/run/user/" + user + "/prof");
  folders.push_back("/tmp/prof-" + user);
  if (const std::string place = base::folder_in_variable("TMPDIR"); !place.empty())
    folders.push_back(place + "/prof-" + user);
  for (auto at = folders.begin(); at != folders.end();)
    at = std::find(folders.begin(), at, *at) == at ? at + 1 : folders.erase(at);
  return folders;
}

std::vector<std::string> registry_folders() {
  std::vector<std::string> folders;
  for (const std::string& folder : possible_folders())
    for (std::string& own : base::own_folders(folder, kPrivate)) folders.push_back(std::move(own));
  return folders;
}

base::Result<std::string> make_folder() {
  std::string why;
  for (const std::string& folder : possible_folders()) {
    auto made = base::make_own_folder(folder, kPrivate);
    if (made) return made;
    why += (why.empty() ? "" : "; ") + made.error().message;
  }
  return base::fail("there is no place for sessions, set XDG_RUNTIME_DIR or TMPDIR (" + why + ")");
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

// Connects without waiting: a session that is stopped accepts nothing, and connect() would wait for
// it.
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

// Locks the folder. As long as a prof holds the lock, no other prof mistakes a new socket, which
// does not listen yet, for a left one.
UniqueFd lock_folder(const std::string& folder) {
  UniqueFd lock(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (lock) base::wait_for_lock(lock.get());
  return lock;
}

enum class Listener { kNone, kLeft, kAlive };

Listener listener_of(const std::string& path) {
  if (connect_at(path) || errno == EAGAIN) return Listener::kAlive;
  return errno == ECONNREFUSED ? Listener::kLeft : Listener::kNone;
}

// Removes a socket whose collector was killed. Returns whether a collector listens.
bool is_alive(const std::string& path) {
  if (const Listener found = listener_of(path); found != Listener::kLeft)
    return found == Listener::kAlive;
  const std::string folder = fs::path(path).parent_path().string();
  const UniqueFd lock = lock_folder(folder);
  if (const Listener found = listener_of(path); found != Listener::kLeft)
    return found == Listener::kAlive;
  unlink(path.c_str());
  unlink((path + kCommandsEnding).c_str());
  rmdir(folder.c_str());  // succeeds only if the folder is empty now
  return false;
}

}  // namespace

base::Result<SessionSocket> SessionSocket::create(const std::string& name) {
  for (const std::string& folder : registry_folders())
    if (is_alive(folder + "/" + file_of(name)))
      return base::fail("there is a session " + name + " already; use --session=" + name +
                        ", or another name");
  constexpr int kTries = 10;  // another session may remove the empty folder at this moment
  for (int i = 0;; ++i) {
    const auto folder = make_folder();
    if (!folder) return tl::make_unexpected(folder.error());
    const std::string path = *folder + "/" + file_of(name);
    const UniqueFd lock = lock_folder(*folder);
    UniqueFd listener = listen_at(path, SOCK_SEQPACKET, kMaxCommands);
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
  rmdir(fs::path(path_).parent_path().c_str());  // succeeds only if this was the last session
}

std::vector<std::string> session_names() {
  std::vector<std::string> names;
  for (const std::string& folder : registry_folders()) {
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
    if (UniqueFd connection = connect_at(folder + "/" + file_of(name))) return connection;
  return {};
}

}  // namespace prof::session
