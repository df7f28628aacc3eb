// A command that waits for an answer of a session, and its descriptors for messages to the user.
#pragma once

#include <unistd.h>

#include <string>

#include "collector/session/interactive/messages.hpp"
#include "common/base/unique_fd.hpp"

namespace prof::session {

struct Client {
  base::UniqueFd connection;
  base::UniqueFd out;
  base::UniqueFd error;

  void reply(const Message& message) const {
    static_cast<void>(send_message(connection.get(), message));
  }
};

inline Message failure(const std::string& text) { return {{"status", 1}, {"message", text}}; }

inline std::string text_of(const Message& request, const char* name) {
  return request.value(name, std::string());
}

// As long as it exists, messages of the collector go to the command that the collector works for.
class ClientOutput {
 public:
  explicit ClientOutput(int error) : saved_(dup(STDERR_FILENO)) {
    if (error >= 0) dup2(error, STDERR_FILENO);
  }
  ~ClientOutput() { dup2(saved_.get(), STDERR_FILENO); }
  ClientOutput(const ClientOutput&) = delete;

 private:
  base::UniqueFd saved_;
};

}  // namespace prof::session
