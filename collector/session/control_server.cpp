#include "collector/session/control_server.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>

namespace prof::session {

using base::fail_errno;

namespace {
constexpr int kBacklog = 4096;
}

base::Result<ControlServer> ControlServer::create(const SessionDirectory& directory) {
  const std::string socket_path = directory.file(wire::kControlSocketName);
  const std::string pipe_path = directory.file(wire::kEventPipeName);
  base::UniqueFd listener(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, socket_path.c_str(), sizeof address.sun_path - 1);
  if (!listener ||
      bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      listen(listener.get(), kBacklog) != 0)
    return fail_errno("cannot create the control socket " + socket_path, errno);
  if (mkfifo(pipe_path.c_str(), 0600) != 0)
    return fail_errno("cannot create the event pipe " + pipe_path, errno);
  // O_RDWR: with a writer of our own the pipe never reads as ended.
  base::UniqueFd pipe(open(pipe_path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
  if (!pipe) return fail_errno("cannot open the event pipe " + pipe_path, errno);
  return ControlServer(std::move(listener), std::move(pipe));
}

base::UniqueFd ControlServer::accept() const {
  return base::UniqueFd(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
}

std::optional<Introduction> ControlServer::receive(base::UniqueFd connection) {
  wire::Hello hello{};
  if (recv(connection.get(), &hello, sizeof hello, 0) != sizeof hello ||
      hello.magic != wire::kHandshakeMagic)
    return std::nullopt;
  ucred peer{};
  socklen_t length = sizeof peer;
  if (getsockopt(connection.get(), SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0)
    return std::nullopt;
  return Introduction{std::move(connection), hello, peer.pid};
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

bool ControlServer::take_announcements() const {
  wire::Announcement announcements[64];
  bool drain = false;
  ssize_t bytes;
  while ((bytes = read(pipe_.get(), announcements, sizeof announcements)) > 0) {
    const auto count = static_cast<std::size_t>(bytes) / sizeof announcements[0];
    for (std::size_t i = 0; i < count; ++i)
      drain |= announcements[i].magic == wire::kHandshakeMagic &&
               announcements[i].kind == wire::AnnouncementKind::kBufferFilling;
  }
  return drain;
}

}  // namespace prof::session
