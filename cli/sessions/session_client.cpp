#include "cli/sessions/session_client.hpp"

#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <filesystem>

#include "cli/messages/failure.hpp"
#include "cli/options/arguments.hpp"
#include "cli/sessions/session_process.hpp"
#include "collector/session/interactive/session_registry.hpp"

namespace prof::cli {

using session::kDefaultSession;
using session::Message;

namespace {

constexpr char kGone[] = "the session has ended, or its collector was killed";

std::string list_of(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

[[noreturn]] void refuse_missing(const std::string& name, bool was_chosen) {
  const std::vector<std::string> names = session::session_names();
  if (names.empty())
    throw Failure(was_chosen ? "there is no session " + name + ", and no other one"
                             : "there are no active sessions (prof launch starts one)");
  if (!was_chosen)
    throw Failure("there is no session " + name + "; choose one with --session: " + list_of(names));
  throw Failure("there is no session " + name + suggestion(name, names) +
                " (sessions: " + list_of(names) + ")");
}

}  // namespace

void check_session_name(const std::string& name) {
  bool is_good = !name.empty() && std::isalpha(static_cast<unsigned char>(name[0])) != 0;
  for (const char c : name) is_good &= std::isprint(static_cast<unsigned char>(c)) != 0;
  if (!is_good)
    throw Failure("--session-new " + name +
                      ": the name begins with a letter and has printable characters only",
                  kBadUsage);
  if (name.size() > session::kLongestSessionName)
    throw Failure("--session-new " + name + ": the name is longer than " +
                      std::to_string(session::kLongestSessionName) + " characters",
                  kBadUsage);
}

SessionClient SessionClient::find(const SessionChoice& choice) {
  const std::string name = choice.existing.empty() ? kDefaultSession : choice.existing;
  base::UniqueFd connection = session::connect_to_session(name);
  if (!connection) refuse_missing(name, !choice.existing.empty());
  return SessionClient(std::move(connection));
}

SessionClient SessionClient::find_or_create(const SessionChoice& choice) {
  if (!choice.existing.empty()) return find(choice);
  if (!choice.fresh.empty()) check_session_name(choice.fresh);
  const std::string name = choice.fresh.empty() ? kDefaultSession : choice.fresh;
  if (choice.fresh.empty())
    if (base::UniqueFd connection = session::connect_to_session(name))
      return SessionClient(std::move(connection));
  start_session_process(name);
  base::UniqueFd connection = session::connect_to_session(name);
  if (!connection) throw Failure("the session " + name + " ended at once");
  return SessionClient(std::move(connection));
}

// Opens a session, and tries again if it ends at this moment, because its last program has. Then
// another one is created, unless the user wanted that session.
SessionClient::Opened SessionClient::open(const SessionChoice& choice, const Message& request) {
  for (;;) {
    SessionClient client = find_or_create(choice);
    if (auto answer = client.try_to_ask(request)) return {std::move(client), std::move(*answer)};
    if (!choice.existing.empty() || !choice.fresh.empty()) throw Failure(kGone);
  }
}

Message SessionClient::ask(const Message& request) {
  auto answer = try_to_ask(request);
  if (!answer) throw Failure(kGone);
  return std::move(*answer);
}

std::optional<Message> SessionClient::try_to_ask(const Message& request) {
  if (!session::send_message(connection_.get(), request, {STDOUT_FILENO, STDERR_FILENO})) return {};
  auto received = session::receive_message(connection_.get());
  if (!received) return {};
  const int status = received->content.value("status", kFailed);
  if (status != 0) throw Failure(received->content.value("message", std::string()), status);
  return std::move(received->content);
}

void SessionClient::report_end(pid_t program, std::optional<int> exit_status) {
  Message message{{"verb", "exited"}, {"pid", program}};
  if (exit_status) message["status"] = *exit_status;
  if (session::send_message(connection_.get(), message, {STDOUT_FILENO, STDERR_FILENO}))
    static_cast<void>(session::receive_message(connection_.get()));
}

std::optional<Message> describe_session(const std::string& name) {
  constexpr timeval kPatience{5, 0};
  const base::UniqueFd connection = session::connect_to_session(name);
  if (!connection) return std::nullopt;
  setsockopt(connection.get(), SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
  if (!session::send_message(connection.get(), {{"verb", "describe"}})) return std::nullopt;
  errno = 0;
  if (auto received = session::receive_message(connection.get()))
    return std::move(received->content);
  if (errno == EAGAIN) return Message{{"name", name}, {"state", kNoAnswer}};
  return std::nullopt;
}

bool SessionClient::has_ended_well() const {
  return session::receive_message(connection_.get()).has_value();
}

std::vector<Message> describe_sessions() {
  std::vector<Message> sessions;
  for (const std::string& name : session::session_names())
    if (auto described = describe_session(name)) sessions.push_back(std::move(*described));
  return sessions;
}

std::string current_folder() {
  std::error_code ignored;
  return std::filesystem::current_path(ignored).string();
}

}  // namespace prof::cli
