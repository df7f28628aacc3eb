#include "collector/session/admission/control_server.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace prof::session {

using base::fail_errno;
using base::UniqueFd;

namespace {

constexpr int kBacklog = 4096;             // connections that wait to be accepted
constexpr std::size_t kPipeBytes = 65536;  // default capacity of a pipe

base::Result<UniqueFd> listen_at(const std::string& path) {
  UniqueFd listener(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  if (!listener ||
      bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      chmod(path.c_str(), 0600) != 0 || listen(listener.get(), kBacklog) != 0)
    return fail_errno("cannot create the socket " + path, errno);
  return listener;
}

}  // namespace

base::Result<ControlServer> ControlServer::create(const SessionDirectory& directory) {
  auto listener = listen_at(directory.file(wire::kControlSocketName));
  if (!listener) return tl::make_unexpected(listener.error());
  auto pipe = directory.make_pipe(wire::kEventPipeName);
  if (!pipe) return tl::make_unexpected(pipe.error());
  return ControlServer(std::move(*listener), std::move(*pipe));
}

UniqueFd ControlServer::accept() const {
  return UniqueFd(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
}

Peer ControlServer::receive(Introduction& introduction) {
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
  // Other users cannot open the directory. But they may have received a descriptor.
  if (peer.uid != geteuid() && peer.uid != 0) return Peer::kStranger;
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
