// The session's control socket and event pipe: where targets that wait for an answer introduce
// themselves, and where all call for help.
#pragma once

#include <sys/types.h>

#include "collector/base/result.hpp"
#include "collector/base/unique_fd.hpp"
#include "collector/session/session_directory.hpp"
#include "injection/wire/handshake.hpp"

namespace prof::session {

// A Hello with what the kernel says about its sender.
struct Introduction {
  base::UniqueFd connection;
  wire::Hello hello{};
  pid_t pid = 0;  // in our pid namespace
};

enum class Peer {
  kSilent,    // has not spoken yet
  kSpoken,    // said Hello; its version is not checked
  kGone,      // hung up
  kStranger,  // another user's, of a pid namespace that we cannot see, or of another tongue
};

struct Announcements {
  bool any = false;           // whatever is written there asks for a drain
  std::uint64_t no_room = 0;  // processes that say so
};

class ControlServer {
 public:
  static base::Result<ControlServer> create(const SessionDirectory& directory);

  // For epoll: readable when a target connects, or announces something.
  int listener() const { return listener_.get(); }
  int pipe() const { return pipe_.get(); }

  // Accepts one waiting connection, if any.
  base::UniqueFd accept() const;

  // Reads the Hello of a connection that accept() returned into the rest of `introduction`.
  static Peer receive(Introduction& introduction);
  // Answers; `arena` is passed along if it is not -1.
  static void reply(const Introduction& introduction, const wire::Reply& reply, int arena);

  // Takes what waits in the pipe, as much as fits into it once.
  Announcements take_announcements() const;

 private:
  ControlServer(base::UniqueFd listener, base::UniqueFd pipe)
      : listener_(std::move(listener)), pipe_(std::move(pipe)) {}
  base::UniqueFd listener_;
  base::UniqueFd pipe_;
};

}  // namespace prof::session
