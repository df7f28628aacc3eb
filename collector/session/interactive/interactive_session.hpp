// The collector of a session on demand: programs are launched into it, and collections begin and
// end while they run (prof launch, start, stop, ...). It has a separate process, so it survives the
// commands and their terminals.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "collector/session/control/command_socket.hpp"
#include "collector/session/interactive/attachment_watch.hpp"
#include "collector/session/interactive/client.hpp"
#include "collector/session/interactive/collection_recorder.hpp"
#include "collector/session/interactive/collection_triggers.hpp"
#include "collector/session/interactive/launched_programs.hpp"
#include "collector/session/interactive/report_writers.hpp"
#include "collector/session/interactive/requested_options.hpp"
#include "collector/session/interactive/session_registry.hpp"
#include "collector/session/signals.hpp"

namespace prof::session {

class InteractiveSession {
 public:
  // `creator`: the process that is about to send the first command.
  InteractiveSession(std::string name, SessionSocket socket, base::UniqueFd creator,
                     SessionHooks hooks);

  // Listens for commands of programs and scripts.
  base::Status listen();
  // Returns when the session is over.
  void run();

 private:
  using Clock = std::chrono::steady_clock;

  // A collection that has been requested. It has begun if the recorder records.
  struct Collection {
    std::string output;
    Words words;
    std::optional<base::ReservedName> name{};  // reserved until the collection begins
    bool stop_on_exit = true;
    CollectionTriggers triggers{};
  };
  enum class State { kLaunched, kStarted, kDelayed, kCollecting, kShutdown };

  // These belong to the loop.
  std::chrono::milliseconds longest_wait() const;
  void handle(int fd);
  void handle_signals();
  bool follow_signal(int signal);
  void look_for_triggers();
  void look_after_attachment();
  void look_after_programs();
  void answer_launchers();
  bool has_programs();
  bool is_over();
  State state() const;
  std::uint64_t steps_begun() const;

  // Commands.
  void accept_client();
  void serve(int fd);
  void answer(Client& client, const Message& request);
  Message describe() const;
  Message start(const Message& request);
  Message launch(const Message& request);
  Message launched(const Message& request, const Client& client);
  Message begin();
  Message cancel();
  // Returns what the collection waits for.
  std::string awaited() const;
  std::string why_not_stopped() const;
  void snapshot(const Message& request, Client client);
  void stop(const Message& request, Client client);
  void let_go_of_programs();
  void shut_down(const Message& request, Client client);
  void program_exited(const Message& request, Client client);
  // Commands of programs and scripts, as lines of text.
  std::string answer_text(const TextCommand& command);
  std::string answer_start(const TextCommand& command);
  std::string answer_stop();

  // Collections.
  void expect_signals();
  void triggered();
  base::Status begin_collection();
  // `keep`: the length of the last part, which is kept; not set: all is kept. The clients wait for
  // the reports.
  void end_collection(std::optional<std::chrono::nanoseconds> keep, std::vector<Client> waiting);
  // Returns the descriptor for messages; -1: nowhere.
  int error_of(const std::vector<Client>& waiting) const;

  const std::string name_;
  SessionSocket socket_;
  base::UniqueFd creator_;  // open as long as the process runs
  const SessionHooks hooks_;
  const Clock::time_point begin_ = Clock::now();
  Signals signals_{true};
  EventLoop loop_;
  RequestedOptions options_{name_, hooks_};
  LaunchedPrograms programs_{loop_};
  CollectionRecorder recorder_{name_,     options_.get(),           loop_,
                               programs_, signals_.original_mask(), hooks_.write_reports};
  ReportWriters writers_{signals_.original_mask(), hooks_.write_reports};
  std::optional<Collection> collection_;
  std::map<int, Client> clients_;  // by connection, until they are answered
  std::optional<CommandSocket> commands_;
  std::vector<int> trigger_signals_;           // signals of all collections so far
  std::optional<AttachmentWatch> attachment_;  // of programs that ran before
  bool was_asked_ = false;                     // true once a command has come
  bool shutting_down_ = false;
  Clock::time_point last_scan_{};
};

}  // namespace prof::session
