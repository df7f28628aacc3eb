#include "collector/session/control/command_socket.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "collector/session/interactive/messages.hpp"
#include "collector/session/unix_socket.hpp"

namespace prof::session {

namespace {

constexpr std::size_t kLongestLine = 16 << 10;
constexpr std::size_t kMaxSpeakers = 64;
constexpr int kMaxWaiting = 16;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

// Makes an answer one line, even if a message in it has several.
std::string as_line(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\r') c = ' ';
  return text + '\n';
}

}  // namespace

base::Result<CommandSocket> CommandSocket::create(const EventLoop& loop, std::string path,
                                                  Answer answer) {
  unlink(path.c_str());  // left by a session of this name whose collector was killed
  base::UniqueFd listener = listen_at(path, SOCK_STREAM | SOCK_NONBLOCK, kMaxWaiting);
  if (!listener) return base::fail_errno("cannot create the socket " + path, errno);
  loop.watch(listener.get());
  return CommandSocket(loop, std::move(path), std::move(listener), std::move(answer));
}

CommandSocket::CommandSocket(CommandSocket&& other) noexcept
    : loop_(other.loop_),
      path_(std::exchange(other.path_, {})),
      listener_(std::move(other.listener_)),
      answer_(std::move(other.answer_)),
      peers_(std::move(other.peers_)) {}

CommandSocket::~CommandSocket() {
  if (!path_.empty()) unlink(path_.c_str());
}

bool CommandSocket::handle(int fd) {
  if (fd == listener_.get()) {
    accept_peer();
    return true;
  }
  const auto found = peers_.find(fd);
  if (found == peers_.end()) return false;
  if (!serve(found->second)) peers_.erase(fd);
  return true;
}

void CommandSocket::accept_peer() {
  auto peer = session::accept_peer(listener_.get(), SOCK_NONBLOCK);
  if (!peer || peers_.size() >= kMaxSpeakers) return;
  const int fd = peer->connection.get();
  loop_->watch(fd);
  peers_[fd] = {std::move(peer->connection), peer->pid, {}};
}

// Returns false if the connection is over.
bool CommandSocket::serve(Peer& peer) {
  char buffer[4096];
  const ssize_t bytes = recv(peer.connection.get(), buffer, sizeof buffer, 0);
  if (bytes < 0) return errno == EAGAIN || errno == EINTR;
  peer.input.append(buffer, static_cast<std::size_t>(bytes));
  if (bytes == 0 && !peer.input.empty()) peer.input += '\n';  // the last line may lack its end
  for (std::size_t end; (end = peer.input.find('\n')) != std::string::npos;) {
    const std::string line = peer.input.substr(0, end);
    peer.input.erase(0, end + 1);
    if (!answer_line(peer, line)) return false;
  }
  if (peer.input.size() > kLongestLine) {
    const std::string refusal = as_line("error the line is too long");
    send(peer.connection.get(), refusal.data(), refusal.size(), MSG_NOSIGNAL);
    return false;
  }
  return bytes != 0;
}

bool CommandSocket::answer_line(const Peer& peer, std::string_view line) {
  const std::string_view words = trimmed(line);
  const std::size_t end = std::min(words.find(' '), words.size());
  const TextCommand command{words.substr(0, end), trimmed(words.substr(end)), peer.pid};
  const std::string answer = as_line(answer_(command));
  // Does not wait for a peer that does not read its answers.
  return send(peer.connection.get(), answer.data(), answer.size(), MSG_NOSIGNAL) ==
         static_cast<ssize_t>(answer.size());
}

}  // namespace prof::session
