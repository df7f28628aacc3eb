// Finds the sessions of a user. Each has a socket, named after the session, in a private folder.
#pragma once

#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/base/unique_fd.hpp"

namespace prof::session {

inline constexpr char kDefaultSession[] = "[default]";
inline constexpr std::size_t kLongestSessionName = 40;

// The socket of a session. The destructor removes it from the file system.
class SessionSocket {
 public:
  // Fails if a session of that name exists.
  static base::Result<SessionSocket> create(const std::string& name);
  SessionSocket(SessionSocket&& other) noexcept;
  SessionSocket& operator=(SessionSocket&&) = delete;
  ~SessionSocket();

  int fd() const { return fd_.get(); }
  // Returns the path of another socket, for lines of text. The process that listens there removes
  // that socket.
  std::string commands_path() const;

 private:
  SessionSocket(std::string path, base::UniqueFd fd) : path_(std::move(path)), fd_(std::move(fd)) {}
  std::string path_;
  base::UniqueFd fd_;
};

// Returns the names of this user's sessions, sorted. Removes sockets without a listener.
std::vector<std::string> session_names();

// Connects to a session. Invalid if there is no session of that name.
base::UniqueFd connect_to_session(const std::string& name);

}  // namespace prof::session
