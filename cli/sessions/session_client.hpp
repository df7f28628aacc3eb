// Finds and creates sessions, and sends them commands.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/sessions/launch_options.hpp"
#include "collector/session/interactive/messages.hpp"
#include "common/base/unique_fd.hpp"

namespace prof::cli {

class SessionClient {
 public:
  // Connects to the session that the user chose, or to [default]. Throws Failure if there is none.
  static SessionClient find(const SessionChoice& choice);
  // Like find(), or creates the session: if --session-new names it, or if there is no [default] and
  // the user chose none. Sends the first command.
  struct Opened;
  static Opened open(const SessionChoice& choice, const session::Message& request);

  // Sends a command and waits for the answer. Throws Failure if the session refuses or is gone.
  session::Message ask(const session::Message& request);
  // Reports that the launched program has ended. Returns when the session has written the reports
  // that this end causes. The session may have ended already. `exit_status` is empty if nobody
  // knows it.
  void report_end(pid_t program, std::optional<int> exit_status);
  // A descriptor that becomes readable when the session or its current collection has ended.
  int fd() const { return connection_.get(); }
  // False if the collector was killed. Call it when fd() is readable.
  bool has_ended_well() const;

 private:
  explicit SessionClient(base::UniqueFd connection) : connection_(std::move(connection)) {}
  static SessionClient find_or_create(const SessionChoice& choice);
  // Returns nothing if the session has ended.
  std::optional<session::Message> try_to_ask(const session::Message& request);
  base::UniqueFd connection_;
};

struct SessionClient::Opened {
  SessionClient client;
  session::Message answer;
};

// The state that is shown for a session whose collector is stopped, or busy for seconds.
inline constexpr char kNoAnswer[] = "No answer";

// Returns the session's answer about its state, or nothing if there is no session of this name.
std::optional<session::Message> describe_session(const std::string& name);

// Returns the answers of all sessions of this user about their state.
std::vector<session::Message> describe_sessions();

// Throws Failure if no session can have this name.
void check_session_name(const std::string& name);

// Returns the folder that relative names of the command are relative to.
std::string current_folder();

}  // namespace prof::cli
