// Messages between the commands (prof start, prof stop, ...) and the collector of a session: JSON
// objects over a SOCK_SEQPACKET socket, with the command's descriptors for messages to the user.
#pragma once

#include <sys/types.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "common/base/result.hpp"
#include "common/base/unique_fd.hpp"

namespace prof::session {

using Message = nlohmann::json;

struct ReceivedMessage {
  Message content;
  std::vector<base::UniqueFd> descriptors;
};

base::Status send_message(int socket, const Message& content, const std::vector<int>& pass = {});
// Returns nothing if the peer has closed the connection, or has sent something else than a message.
std::optional<ReceivedMessage> receive_message(int socket);

struct AcceptedPeer {
  base::UniqueFd connection;
  pid_t pid = 0;  // the process at the other end
};
// Accepts a connection of the session's user or of root. Returns nothing if no connection waits, or
// if it is another user's, which is closed. `flags` as of accept4.
std::optional<AcceptedPeer> accept_peer(int listener, int flags = 0);

}  // namespace prof::session
