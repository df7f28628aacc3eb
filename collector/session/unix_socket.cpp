#include "collector/session/unix_socket.hpp"

#include <sys/socket.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

namespace prof::session {

bool address_of(const std::string& path, sockaddr_un& address) {
  address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return false;
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return true;
}

base::UniqueFd listen_at(const std::string& path, int type, int most_waiting) {
  sockaddr_un address;
  if (!address_of(path, address)) return {};
  base::UniqueFd listener(socket(AF_UNIX, type | SOCK_CLOEXEC, 0));
  // chmod is needed because of the umask.
  if (!listener ||
      bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      chmod(path.c_str(), 0600) != 0 || listen(listener.get(), most_waiting) != 0)
    return {};
  return listener;
}

}  // namespace prof::session
