#include "collector/session/admission/control_server.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "collector/session/unix_socket.hpp"

namespace prof::session {

using base::fail_errno;
using base::UniqueFd;

namespace {

constexpr int kBacklog = 4096;             // connections that wait to be accepted
constexpr std::size_t kPipeBytes = 65536;  // default capacity of a pipe

}  // namespace

base::Result<ControlServer> ControlServer::create(const SessionDirectory& directory) {
  const std::string path = directory.file(wire::kControlSocketName);
  UniqueFd listener = listen_at(path, SOCK_SEQPACKET | SOCK_NONBLOCK, kBacklog);
  if (!listener) return fail_errno("cannot create the socket " + path, errno);
  if (base::Status given = directory.give_to_guest(wire::kControlSocketName); !given)
    return tl::make_unexpected(given.error());
  auto pipe = directory.make_pipe(wire::kEventPipeName);
  if (!pipe) return tl::make_unexpected(pipe.error());
  return ControlServer(std::move(listener), std::move(*pipe), directory.guest());
}

UniqueFd ControlServer::accept() const {
  return UniqueFd(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
}

Peer ControlServer::receive(Introduction& introduction) const {
  const int connection = introduction.connection.get();
  wire::Hello& hello = introduction.hello;
  const ssize_t bytes = recv(connection, &hello, sizeof hello, MSG_TRUNC);
  if (bytes < 0 && (errno == EAGAIN || errno == EINTR)) return Peer::kSilent;
  if (bytes <= 0) return Peer::kDisconnected;
  const bool complete = bytes == sizeof hello || hello.version != wire::kWireVersion;
  if (hello.magic != wire::kHandshakeMagic || !complete) return Peer::kStranger;
  ucred peer{};
  socklen_t length = sizeof peer;
  if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0 || peer.pid <= 0)
    return Peer::kStranger;
  // Other users cannot open the directory, but they may have received a descriptor.
  if (peer.uid != geteuid() && peer.uid != 0 && peer.uid != guest_) return Peer::kStranger;
  introduction.pid = peer.pid;
  return Peer::kIntroduced;
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
  // The process may have ended in the meantime. That is not an error.
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
