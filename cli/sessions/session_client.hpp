// How commands find a session, create one, and talk to it.
#pragma once

#include <string>
#include <vector>

#include "cli/sessions/session_options.hpp"
#include "collector/base/unique_fd.hpp"
#include "collector/session/interactive/messages.hpp"

namespace prof::cli {

class SessionClient {
 public:
  // The session that the user chose, or [default]. Throws Failure if there is none.
  static SessionClient find(const SessionChoice& choice);
  // The same, or a new one: if --session-new names it, or if there is no [default] and the user
  // chose none.
  static SessionClient find_or_create(const SessionChoice& choice);

  // Sends a command and waits for the answer. Throws Failure if the session refuses or is gone.
  session::Message ask(const session::Message& request);

 private:
  explicit SessionClient(base::UniqueFd connection) : connection_(std::move(connection)) {}
  base::UniqueFd connection_;
};

// What all sessions of this user say about themselves.
std::vector<session::Message> describe_sessions();

// The folder that relative names of the command mean.
std::string current_folder();

}  // namespace prof::cli
