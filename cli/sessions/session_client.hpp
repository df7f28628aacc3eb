// How commands find a session, create one, and talk to it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/sessions/session_options.hpp"
#include "collector/session/interactive/messages.hpp"
#include "common/base/unique_fd.hpp"

namespace prof::cli {

class SessionClient {
 public:
  // The session that the user chose, or [default]. Throws Failure if there is none.
  static SessionClient find(const SessionChoice& choice);
  // The same, or a new one: if --session-new names it, or if there is no [default] and the user
  // chose none. Sends the first command.
  struct Opened;
  static Opened open(const SessionChoice& choice, const session::Message& request);

  // Sends a command and waits for the answer. Throws Failure if the session refuses or is gone.
  session::Message ask(const session::Message& request);
  // The program that was launched has ended. Returns when the reports that its end makes the
  // session write are there. The session may be over already. Without a status nobody knows it.
  void report_end(pid_t program, std::optional<int> exit_status);
  // Can be read when the session has ended, or its collection.
  int fd() const { return connection_.get(); }
  // Then: false if the collector was killed.
  bool has_ended_well() const;

 private:
  explicit SessionClient(base::UniqueFd connection) : connection_(std::move(connection)) {}
  static SessionClient find_or_create(const SessionChoice& choice);
  // Nothing: the session has ended.
  std::optional<session::Message> try_to_ask(const session::Message& request);
  base::UniqueFd connection_;
};

struct SessionClient::Opened {
  SessionClient client;
  session::Message answer;
};

// The state of a session whose collector is stopped, or busy for seconds.
inline constexpr char kNoAnswer[] = "No answer";

// What the session says about itself. Nothing: there is none of this name.
std::optional<session::Message> describe_session(const std::string& name);

// What all sessions of this user say about themselves.
std::vector<session::Message> describe_sessions();

// Throws Failure if no session can have this name.
void check_session_name(const std::string& name);

// The folder that relative names of the command mean.
std::string current_folder();

}  // namespace prof::cli
