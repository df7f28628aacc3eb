#include "collector/session/launch/outer_session.hpp"

#include <sys/socket.h>
#include <sys/un.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "collector/base/unique_fd.hpp"
#include "injection/wire/handshake.hpp"

namespace prof::session {

bool is_inside_session() {
  const char* session = std::getenv(wire::kSessionVariable);
  if (session == nullptr) return false;
  const base::UniqueFd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = std::string(session) + "/" + wire::kControlSocketName;
  if (path.size() >= sizeof address.sun_path) return false;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
}

}  // namespace prof::session
