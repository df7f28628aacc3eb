#include "collector/session/control_server.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace prof::session {

using base::fail_errno;
using base::UniqueFd;

namespace {

constexpr std::size_t kPipeBytes = 65536;  // what a pipe holds unless told otherwise

#ifndef SO_PEERPIDFD
constexpr int SO_PEERPIDFD = 77;
#endif

base::Result<UniqueFd> listen_at(const std::string& path) {
  UniqueFd listener(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  if (!listener ||
      bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      chmod(path.c_str(), 0600) != 0 || listen(listener.get(), ControlServer::kBacklog) != 0)
    return fail_errno("cannot create the socket " + path, errno);
  return listener;
}

UniqueFd accept_at(const UniqueFd& listener) {
  return UniqueFd(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
}

// Invalid, and errno says why.
UniqueFd peer_pidfd(int connection) {
  int pidfd = -1;
  socklen_t length = sizeof pidfd;
  const int failed = getsockopt(connection, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &length);
  return UniqueFd(failed == 0 ? pidfd : -1);
}

base::Status check_that_peers_can_be_told() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return fail_errno("cannot create a pair of sockets", errno);
  const UniqueFd ours(ends[0]);
  const UniqueFd theirs(ends[1]);
  if (!peer_pidfd(ours.get())) return fail_errno("cannot tell which process a peer is", errno);
  return {};
}

}  // namespace

base::Result<ControlServer> ControlServer::create(const SessionDirectory& directory) {
  const std::string socket_path = directory.file(wire::kControlSocketName);
  const std::string pipe_path = directory.file(wire::kEventPipeName);
  auto listener = listen_at(socket_path);
  if (!listener) return tl::make_unexpected(listener.error());
  // chmod: a umask can take even our own rights away.
  if (mkfifo(pipe_path.c_str(), 0600) != 0 || chmod(pipe_path.c_str(), 0600) != 0)
    return fail_errno("cannot create the event pipe " + pipe_path, errno);
  // O_RDWR: with a writer of our own the pipe never reads as ended.
  base::UniqueFd pipe(open(pipe_path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
  if (!pipe) return fail_errno("cannot open the event pipe " + pipe_path, errno);
  return ControlServer(std::move(*listener), std::move(pipe));
}

UniqueFd ControlServer::accept() const { return accept_at(listener_); }

UniqueFd ControlServer::accept_arrival() const {
  return arrivals_ ? accept_at(arrivals_) : UniqueFd();
}

base::Status ControlServer::leave_standing_reply(const SessionDirectory& directory,
                                                 const wire::Reply& reply, int arena) {
  if (base::Status can = check_that_peers_can_be_told(); !can) return can;
  struct stat file {};
  if (fstat(arena, &file) != 0) return fail_errno("cannot look at the event buffer", errno);
  auto arrivals = listen_at(directory.file(wire::kArrivalSocketName));
  if (!arrivals) return tl::make_unexpected(arrivals.error());
  wire::StandingReply standing{};
  standing.reply = reply;
  standing.arena_device = file.st_dev;
  standing.arena_inode = file.st_ino;
  fmt::format_to_n(standing.arena, sizeof standing.arena - 1, "/proc/{}/fd/{}", getpid(), arena);
  arrivals_ = std::move(*arrivals);
  return directory.leave(wire::kStandingReplyName,
                         {reinterpret_cast<const char*>(&standing), sizeof standing});
}

Peer ControlServer::receive(Introduction& introduction) {
  const int connection = introduction.connection.get();
  struct {
    wire::Hello hello;
    char program[wire::kMostProgramBytes];
  } words{};
  const ssize_t bytes = recv(connection, &words, sizeof words, MSG_TRUNC);
  if (bytes < 0 && (errno == EAGAIN || errno == EINTR)) return Peer::kSilent;
  if (bytes <= 0) return Peer::kGone;
  const wire::Hello& hello = introduction.hello = words.hello;
  const bool complete = (hello.program_bytes <= sizeof words.program &&
                         static_cast<std::size_t>(bytes) == sizeof hello + hello.program_bytes) ||
                        hello.version != wire::kWireVersion;
  if (hello.magic != wire::kHandshakeMagic || !complete) return Peer::kStranger;
  ucred peer{};
  socklen_t length = sizeof peer;
  if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0 || peer.pid <= 0)
    return Peer::kStranger;
  // The directory lets nobody else in; a descriptor that was handed over might.
  if (peer.uid != geteuid() && peer.uid != 0) return Peer::kStranger;
  introduction.pid = peer.pid;
  if (hello.version == wire::kWireVersion)
    introduction.program.assign(words.program, hello.program_bytes);
  return Peer::kSpoken;
}

PeerProcess ControlServer::process_of(const Introduction& introduction) {
  UniqueFd pidfd = peer_pidfd(introduction.connection.get());
  const bool is_reaped = !pidfd && errno != EMFILE && errno != ENFILE && errno != ENOMEM;
  return {std::move(pidfd), is_reaped};
}

void ControlServer::reply(const Introduction& introduction, const wire::Reply& reply, int arena) {
  wire::Reply copy = reply;
  iovec data{&copy, sizeof copy};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  if (arena >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &arena, sizeof arena);
  }
  // A target that has gone in the meantime is no error of ours.
  static_cast<void>(sendmsg(introduction.connection.get(), &message, MSG_NOSIGNAL));
}

Announcements ControlServer::take_announcements() const {
  wire::Announcement announcements[kPipeBytes / sizeof(wire::Announcement)];
  const ssize_t bytes = read(pipe_.get(), announcements, sizeof announcements);
  Announcements taken{bytes > 0, 0};
  for (ssize_t i = 0; i < bytes / static_cast<ssize_t>(sizeof announcements[0]); ++i)
    if (announcements[i].magic == wire::kHandshakeMagic &&
        announcements[i].kind == wire::AnnouncementKind::kNoRoom)
      ++taken.no_room;
  return taken;
}

}  // namespace prof::session
