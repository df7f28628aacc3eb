#include "collector/session/interactive/messages.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace prof::session {

namespace {

constexpr std::size_t kMaxBytes = 192 << 10;  // less than the default limit of a socket's buffer
constexpr std::size_t kMaxDescriptors = 4;

}  // namespace

base::Status send_message(int socket, const Message& content, const std::vector<int>& pass) {
  std::string text = content.dump(-1, ' ', false, Message::error_handler_t::replace);
  if (text.size() > kMaxBytes) return base::fail("the command line is too long");
  iovec data{text.data(), text.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(kMaxDescriptors * sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  if (!pass.empty()) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(pass.size() * sizeof(int));
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(pass.size() * sizeof(int));
    std::memcpy(CMSG_DATA(header), pass.data(), pass.size() * sizeof(int));
  }
  if (sendmsg(socket, &message, MSG_NOSIGNAL) < 0)
    return base::fail_errno("cannot send to the session", errno);
  return {};
}

std::optional<ReceivedMessage> receive_message(int socket) {
  std::string text(kMaxBytes, '\0');
  iovec data{text.data(), text.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(kMaxDescriptors * sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t bytes;
  do {
    bytes = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  } while (bytes < 0 && errno == EINTR);
  ReceivedMessage received;
  if (bytes > 0)
    for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
         header = CMSG_NXTHDR(&message, header)) {
      if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
      const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
      for (std::size_t i = 0; i < count; ++i) {
        int descriptor;
        std::memcpy(&descriptor, CMSG_DATA(header) + i * sizeof descriptor, sizeof descriptor);
        received.descriptors.emplace_back(descriptor);
      }
    }
  if (bytes <= 0) return std::nullopt;
  text.resize(static_cast<std::size_t>(bytes));
  received.content = Message::parse(text, nullptr, false);
  if (!received.content.is_object()) return std::nullopt;
  return received;
}

std::optional<AcceptedPeer> accept_peer(int listener, int flags) {
  base::UniqueFd connection(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | flags));
  ucred peer{};
  socklen_t length = sizeof peer;
  if (!connection || getsockopt(connection.get(), SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0 ||
      (peer.uid != geteuid() && peer.uid != 0))
    return std::nullopt;
  return AcceptedPeer{std::move(connection), peer.pid};
}

}  // namespace prof::session
