// What the file behind a descriptor is called in the report.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace prof::ingest {

// A path as the program gave it, completed; or what the kernel calls it: "pipe:[123]". Without
// "//", "." and "..".
std::string file_path(std::string_view name);

std::string pipe_name(std::uint64_t inode);

struct Socket {
  std::uint16_t domain = 0;  // AF_INET, ...
  std::uint8_t type = 0;     // SOCK_STREAM, ...
  std::string_view address;  // bytes of a struct sockaddr; empty: none
  bool is_local = false;     // its own address, not the peer's
  std::uint64_t inode = 0;   // 0: not known
};
// "tcp:HOST:PORT", "udp:[HOST]:PORT", "unix:PATH", "unix:@ABSTRACT", "unix:[inode]", and with
// " (local)" behind it the address of a socket without a peer.
std::string socket_name(const Socket& socket);

}  // namespace prof::ingest
