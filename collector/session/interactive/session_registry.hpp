// Where the sessions of a user are found: a socket for each, named after the session, in a private
// folder.
#pragma once

#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/base/unique_fd.hpp"

namespace prof::session {

inline constexpr char kDefaultSession[] = "[default]";
inline constexpr std::size_t kLongestSessionName = 40;

// The socket of a session, and its place in the file system, which is removed with the object.
class SessionSocket {
 public:
  // Fails if there is a session of that name.
  static base::Result<SessionSocket> create(const std::string& name);
  SessionSocket(SessionSocket&& other) noexcept;
  SessionSocket& operator=(SessionSocket&&) = delete;
  ~SessionSocket();

  int fd() const { return fd_.get(); }
  // The place of another socket, for lines of text. Who listens there removes it.
  std::string commands_path() const;

 private:
  SessionSocket(std::string path, base::UniqueFd fd) : path_(std::move(path)), fd_(std::move(fd)) {}
  std::string path_;
  base::UniqueFd fd_;
};

// The names of this user's sessions, sorted. Removes sockets that nobody listens to.
std::vector<std::string> session_names();

// Connects to a session. Invalid if there is none of that name.
base::UniqueFd connect_to_session(const std::string& name);

}  // namespace prof::session
