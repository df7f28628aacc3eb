// A socket for the programs of a session and for scripts. A command is one line of text. The answer
// is one line, too, and begins with "ok" or "error". docs/sessions.md describes the commands.
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "collector/session/event_loop.hpp"
#include "common/base/result.hpp"
#include "common/base/unique_fd.hpp"

namespace prof::session {

// Name of the socket in the session directory, which programs find by PROF_SESSION.
inline constexpr char kCommandSocketName[] = "commands";

struct TextCommand {
  std::string_view verb;
  std::string_view rest;  // rest of the line
  pid_t sender;
};

class CommandSocket {
 public:
  using Answer = std::function<std::string(const TextCommand&)>;

  // Listens at `path`. Only this user and root may send commands.
  static base::Result<CommandSocket> create(const EventLoop& loop, std::string path, Answer answer);
  CommandSocket(CommandSocket&& other) noexcept;
  CommandSocket& operator=(CommandSocket&&) = delete;
  ~CommandSocket();

  // Handles a descriptor that became readable. Returns false if it does not belong to the socket.
  bool handle(int fd);

 private:
  struct Peer {
    base::UniqueFd connection;
    pid_t pid;
    std::string input;  // the beginning of a line, until its end arrives
  };
  CommandSocket(const EventLoop& loop, std::string path, base::UniqueFd listener, Answer answer)
      : loop_(&loop),
        path_(std::move(path)),
        listener_(std::move(listener)),
        answer_(std::move(answer)) {}

  void accept_peer();
  bool serve(Peer& peer);
  bool answer_line(const Peer& peer, std::string_view line);

  const EventLoop* loop_;
  std::string path_;
  base::UniqueFd listener_;
  Answer answer_;
  std::map<int, Peer> peers_;
};

}  // namespace prof::session
