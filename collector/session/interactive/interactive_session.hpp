// The collector of a session on demand: programs are launched into it, and collections begin and
// end while they run (prof launch, start, stop, ...). It has a separate process, so it survives the
// commands and their terminals.
#pragma once

#include <chrono>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collector/prometheus/metrics_service.hpp"
#include "collector/session/admission/session_processes.hpp"
#include "collector/session/control/command_socket.hpp"
#include "collector/session/control/file_watch.hpp"
#include "collector/session/drain_pace.hpp"
#include "collector/session/flight/flight_recorder.hpp"
#include "collector/session/interactive/messages.hpp"
#include "collector/session/interactive/report_process.hpp"
#include "collector/session/interactive/session_registry.hpp"
#include "collector/session/kernel/kernel_sources.hpp"
#include "collector/session/session_context.hpp"
#include "collector/session/signals.hpp"
#include "collector/session/targets/target_server.hpp"
#include "common/base/held/reserved_name.hpp"
#include "common/base/result.hpp"

namespace prof::session {

// The report of a collection, and what keeps others from choosing it until the recording exists.
struct ChosenOutput {
  std::string path;
  std::optional<base::ReservedName> reserved{};
};

// What the command line does for the collector. All of it runs in the collector's process, but
// write_reports() and detach(), each in a child of it.
struct SessionHooks {
  // Reads the words of prof launch and prof start, and adds what they say to the options.
  std::function<base::Status(const Words&, SessionOptions&)> read_launch;
  std::function<base::Status(const Words&, SessionOptions&)> read_start;
  // The words of a line of text, and the report that words of prof start name.
  std::function<base::Result<Words>(const std::string&)> split_words;
  std::function<base::Result<ChosenOutput>(const Words&)> output_of;
  WriteReports write_reports;
  // Takes back what prof attach has changed in these programs. In a child of the collector, too.
  std::function<void(const std::vector<pid_t>&)> detach;
};

class InteractiveSession {
 public:
  // `creator`: the process that is about to send the first command.
  InteractiveSession(std::string name, SessionSocket socket, base::UniqueFd creator,
                     SessionHooks hooks);

  // Hears programs and scripts. Fails if that is not possible.
  base::Status listen();
  // Returns when the session is over.
  void run();

 private:
  using Clock = std::chrono::steady_clock;

  // A command that waits for an answer, and its descriptors for messages.
  struct Client {
    base::UniqueFd connection;
    base::UniqueFd out;
    base::UniqueFd error;
  };
  struct Program {
    pid_t pid = 0;
    base::UniqueFd pidfd;
    base::UniqueFd error;  // for messages when no command waits; not longer than the program runs
    int launcher = -1;     // connection of its prof launch
    bool is_gone = false;  // the process has ended
    bool has_ended = false;

    void end() {
      has_ended = true;
      pidfd.reset();
      error.reset();
    }
  };
  // prof attach and its guard, as long as they run. If both were killed, the collector takes back
  // what they have changed.
  struct Attachment {
    base::UniqueFd prof;
    base::UniqueFd guard;
    std::optional<pid_t> undoing;  // a process of ours; 0: it has ended

    bool is_orphan() const { return !prof && !guard; }
  };
  // A process that writes the reports of a collection.
  struct Writer {
    pid_t pid = 0;
    std::string spool;
    std::vector<Client> clients;
  };
  // A collection that has been requested, and may have begun.
  struct Collection {
    std::string output;
    Words words;
    std::optional<base::ReservedName> name{};  // until it begins
    bool stop_on_exit = true;
    bool waits_for_trigger = false;
    bool has_begun = false;
    std::uint64_t begin = 0;  // on the session's clock
    std::uint32_t ranges_begun = 0;
    FileWatch start_file{{}};
    FileWatch stop_file{{}};
  };
  enum class State { kLaunched, kStarted, kDelayed, kCollecting, kShutdown };

  // The loop.
  void wait();
  std::chrono::milliseconds longest_wait() const;
  void handle(int fd);
  void handle_signals();
  bool follow_signal(int signal);
  void look_for_files();
  void triggered();
  void reap_writers();
  void look_after_attachment();
  void look_after_programs();
  void answer_launchers();
  bool is_over();
  bool has_programs();

  // Commands (interactive_commands.cpp).
  void accept_client();
  void serve(int fd);
  void answer(Client& client, const Message& request);
  Message start(const Message& request);
  // Those of prof start, after those that were given before the start.
  Words start_words(const Message& request) const;
  base::Result<ChosenOutput> start_output(const Message& request) const;
  Message launch(const Message& request);
  void watch_attachment(const std::vector<pid_t>& prof_and_guard);
  Message launched(const Message& request, const Client& client);
  Message cancel();
  std::string why_not_stopped() const;
  void snapshot(const Message& request, Client client);
  void stop(const Message& request, Client client);
  void let_go_of_programs();
  void shut_down(const Message& request, Client client);
  Message begin();
  void program_exited(const Message& request, Client client);
  Message describe() const;
  static void reply(const Client& client, const Message& message);
  // Commands of programs and scripts (text_commands.cpp).
  std::string answer_text(const TextCommand& command);
  std::string answer_start(const TextCommand& command);
  std::string answer_stop();

  // Collections (interactive_collections.cpp).
  void expect_triggers();
  base::Status prepare_session();
  void drop_impossible_ranges();
  base::Status begin_collection();
  base::Result<spool::SpoolWriter> begin_flight(spool::SpoolWriter marker);
  void start_flight();
  void collect();
  void follow_ranges();
  void after_collection_start() const;
  // `keep`: the last part that is kept; nothing: all. The clients wait for the reports.
  void end_collection(std::optional<std::chrono::nanoseconds> keep, std::vector<Client> waiting);
  void drop_collection();
  void finish_recording();
  base::Result<FinishedCollection> finish_flight();
  void take_all_records();
  void start_writer(FinishedCollection finished, std::vector<Client> waiting);
  std::vector<pid_t> processes() const;
  // Where messages go. -1: nowhere.
  int error_of(const std::vector<Client>& waiting) const;

  State state() const;
  SessionContext context();

  const std::string name_;
  SessionSocket socket_;
  base::UniqueFd creator_;  // as long as it runs
  const SessionHooks hooks_;
  const Clock::time_point begin_ = Clock::now();
  Signals signals_{true};
  EventLoop loop_;
  SessionOptions options_;
  std::optional<SessionDirectory> directory_;
  std::optional<prometheus::MetricsService> metrics_;
  SpoolRecorder recorder_;
  std::optional<CallChainContext> chains_;
  std::optional<spool::SessionClock> clock_;
  std::optional<SessionProcesses> session_processes_;
  std::unique_ptr<TargetServer> server_;         // null before the first launch
  std::optional<KernelSources> kernel_;          // during a collection
  std::optional<FlightStorage> flight_storage_;  // until start_flight()
  std::optional<FlightRecorder> flight_;         // of a session that is a flight recorder
  std::uint64_t oom_kills_ = 0;                  // before it began
  std::optional<Collection> collection_;
  std::optional<DrainPace> pace_;
  std::map<int, Client> clients_;  // by connection, until they have their answer
  std::list<Program> programs_;
  std::list<Writer> writers_;
  std::vector<Client> launchers_;  // whose programs have ended
  std::optional<CommandSocket> commands_;
  std::vector<int> trigger_signals_;  // of all collections so far
  Words defaults_;                    // of prof start, from prof profile --start-later
  std::string folder_;                // of the first prof launch: where text commands make reports
  Words launch_warnings_;
  std::size_t launches_ = 0;
  std::optional<Attachment> attachment_;  // of programs that ran before
  int exit_status_ = -1;                  // of the last program that has ended
  bool was_asked_ = false;                // by any command
  bool shutting_down_ = false;
  bool kernel_is_idle_ = true;
  Clock::time_point last_clock_{};
  Clock::time_point last_scan_{};
};

}  // namespace prof::session
