#include "collector/ingest/calls/file_names.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>

namespace prof::ingest {

namespace {

// Returns the address, with zeros after the bytes that were given.
template <class Address>
Address address_of(std::string_view bytes) {
  Address address{};
  std::memcpy(&address, bytes.data(), std::min(bytes.size(), sizeof address));
  return address;
}

std::string internet_address(int domain, std::string_view bytes) {
  char host[INET6_ADDRSTRLEN] = "";
  if (domain == AF_INET) {
    const auto address = address_of<sockaddr_in>(bytes);
    inet_ntop(AF_INET, &address.sin_addr, host, sizeof host);
    return fmt::format(":{}:{}", host, ntohs(address.sin_port));
  }
  const auto address = address_of<sockaddr_in6>(bytes);
  inet_ntop(AF_INET6, &address.sin6_addr, host, sizeof host);
  return fmt::format(":[{}]:{}", host, ntohs(address.sin6_port));
}

// A path ends at the first zero. An abstract name starts with a zero and can contain more.
std::string local_path(std::string_view bytes) {
  constexpr std::size_t kStart = offsetof(sockaddr_un, sun_path);
  if (bytes.size() <= kStart) return {};
  const std::string_view path = bytes.substr(kStart);
  if (path[0] != '\0') return ":" + std::string(path.substr(0, path.find('\0')));
  return ":@" + std::string(path.substr(1));
}

const char* protocol(const Socket& socket, int domain) {
  if (domain == AF_UNIX) return "unix";
  if (domain == AF_NETLINK) return "netlink";
  if (domain != AF_INET && domain != AF_INET6) return "socket";
  return socket.type == SOCK_STREAM ? "tcp" : socket.type == SOCK_DGRAM ? "udp" : "ip";
}

std::string known_address(const Socket& socket, int domain) {
  if (socket.address.empty()) return {};
  if (domain == AF_INET || domain == AF_INET6) return internet_address(domain, socket.address);
  return domain == AF_UNIX ? local_path(socket.address) : std::string();
}

}  // namespace

std::string file_path(std::string_view name) {
  constexpr std::string_view kDeleted = " (deleted)";
  constexpr std::string_view kMemory = "/memfd:";
  if (name.starts_with(kMemory)) {
    if (name.ends_with(kDeleted)) name.remove_suffix(kDeleted.size());
    return std::string(name.substr(1));
  }
  if (!name.starts_with('/')) return std::string(name);
  return std::filesystem::path(name).lexically_normal().string();
}

std::string pipe_name(std::uint64_t inode) {
  return inode == 0 ? std::string("pipe") : fmt::format("pipe:[{}]", inode);
}

std::string socket_name(const Socket& socket) {
  // An address contains its domain.
  const int domain = socket.address.size() < sizeof(sa_family_t)
                         ? socket.domain
                         : address_of<sa_family_t>(socket.address);
  const std::string kind = protocol(socket, domain);
  const std::string address = known_address(socket, domain);
  if (!address.empty()) return kind + address + (socket.is_local ? " (local)" : "");
  return socket.inode == 0 ? kind : fmt::format("{}:[{}]", kind, socket.inode);
}

}  // namespace prof::ingest
