// Sockets of a session in the file system, for this user only.
#pragma once

#include <sys/un.h>

#include <string>

#include "common/base/unique_fd.hpp"

namespace prof::session {

// Returns false, with ENAMETOOLONG in errno, if the path is too long for a socket.
bool address_of(const std::string& path, sockaddr_un& address);

// Creates the socket and listens. `type`: SOCK_SEQPACKET or SOCK_STREAM, with flags.
// `most_waiting`: maximum number of connections that wait to be accepted. Invalid on failure, with
// the reason in errno.
base::UniqueFd listen_at(const std::string& path, int type, int most_waiting);

}  // namespace prof::session
