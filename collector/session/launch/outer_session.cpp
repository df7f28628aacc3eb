#include "collector/session/launch/outer_session.hpp"

#include <sys/socket.h>

#include <cstdlib>
#include <string>

#include "collector/session/unix_socket.hpp"
#include "common/base/unique_fd.hpp"
#include "common/wire/handshake.hpp"

namespace prof::session {

bool is_inside_session() {
  const char* session = std::getenv(wire::kSessionVariable);
  if (session == nullptr) return false;
  const base::UniqueFd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  sockaddr_un address;
  return address_of(std::string(session) + "/" + wire::kControlSocketName, address) &&
         connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
}

}  // namespace prof::session
