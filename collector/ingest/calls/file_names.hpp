// Makes the names that files have in the report.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace prof::ingest {

// Returns the absolute path of the file that the program named, without "//", "." and ".."; or the
// kernel's name, such as "pipe:[123]".
std::string file_path(std::string_view name);

std::string pipe_name(std::uint64_t inode);

struct Socket {
  std::uint16_t domain = 0;  // AF_INET, ...
  std::uint8_t type = 0;     // SOCK_STREAM, ...
  std::string_view address;  // bytes of a struct sockaddr; empty: none
  bool is_local = false;     // `address` is the socket's own, not its peer's
  std::uint64_t inode = 0;   // 0: not known
};
// Returns "tcp:HOST:PORT", "udp:[HOST]:PORT", "unix:PATH", "unix:@ABSTRACT" or "unix:[inode]". A
// final " (local)" marks the own address of a socket without a peer.
std::string socket_name(const Socket& socket);

}  // namespace prof::ingest
