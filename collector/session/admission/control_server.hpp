// The session's control socket and event pipe. Processes that wait for a reply introduce themselves
// at the socket. All processes ask for a drain through the pipe.
#pragma once

#include <sys/types.h>

#include <optional>

#include "collector/session/session_directory.hpp"
#include "common/base/result.hpp"
#include "common/base/unique_fd.hpp"
#include "common/wire/handshake.hpp"

namespace prof::session {

// A Hello and the sender's pid, which the kernel provides.
struct Introduction {
  base::UniqueFd connection;
  wire::Hello hello{};
  pid_t pid = 0;  // in the pid namespace of prof
};

enum class Peer {
  kSilent,        // has not sent anything yet
  kIntroduced,    // has sent Hello; its version is not checked
  kDisconnected,  // has closed the connection
  kStranger,  // another user's process, or in an invisible pid namespace, or with another protocol
};

struct Announcements {
  bool any = false;           // something was written to the pipe, which asks for a drain
  std::uint64_t no_room = 0;  // processes that could not map the event buffer
};

class ControlServer {
 public:
  static base::Result<ControlServer> create(const SessionDirectory& directory);

  // Returns a descriptor for epoll: readable when a process connects, or announces something.
  int listener() const { return listener_.get(); }
  int pipe() const { return pipe_.get(); }

  // Accepts one waiting connection, if any.
  base::UniqueFd accept() const;

  // Reads the Hello of a connection that accept() returned into the rest of `introduction`.
  Peer receive(Introduction& introduction) const;
  // Sends the reply, and the descriptor `arena` unless it is -1.
  static void reply(const Introduction& introduction, const wire::Reply& reply, int arena);

  // Reads what is in the pipe, at most as much as the pipe can hold.
  Announcements take_announcements() const;

 private:
  ControlServer(base::UniqueFd listener, base::UniqueFd pipe, std::optional<uid_t> guest)
      : listener_(std::move(listener)), pipe_(std::move(pipe)), guest_(guest) {}
  base::UniqueFd listener_;
  base::UniqueFd pipe_;
  std::optional<uid_t> guest_;
};

}  // namespace prof::session
