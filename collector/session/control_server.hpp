// The session's control socket and event pipe: where targets introduce themselves and call for
// help.
#pragma once

#include <sys/types.h>

#include <optional>
#include <vector>

#include "collector/base/result.hpp"
#include "collector/base/unique_fd.hpp"
#include "collector/session/session_directory.hpp"
#include "injection/wire/handshake.hpp"

namespace prof::session {

// A Hello with what the kernel says about its sender.
struct Introduction {
  base::UniqueFd connection;
  wire::Hello hello;
  pid_t pid;  // in our pid namespace; 0 if the sender's is not visible from here
};

class ControlServer {
 public:
  static base::Result<ControlServer> create(const SessionDirectory& directory);

  // For epoll: readable when a target connects, or announces something.
  int listener() const { return listener_.get(); }
  int pipe() const { return pipe_.get(); }

  // Accepts one waiting connection, if any.
  base::UniqueFd accept() const;
  // Reads the Hello of a readable connection. Nothing for a peer that does not speak our language.
  static std::optional<Introduction> receive(base::UniqueFd connection);
  // Answers; `arena` is passed along if it is not -1.
  static void reply(const Introduction& introduction, const wire::Reply& reply, int arena);

  // Takes everything waiting in the pipe; true if a target asked for a drain.
  bool take_announcements() const;

 private:
  ControlServer(base::UniqueFd listener, base::UniqueFd pipe)
      : listener_(std::move(listener)), pipe_(std::move(pipe)) {}
  base::UniqueFd listener_;
  base::UniqueFd pipe_;
};

}  // namespace prof::session
