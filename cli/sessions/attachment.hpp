// A process tree that prof attaches to, and its session.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "cli/sessions/session_client.hpp"
#include "collector/attach/guard.hpp"
#include "collector/attach/injector.hpp"
#include "collector/session/signals.hpp"
#include "common/base/unique_fd.hpp"

namespace prof::cli {

// Undoes what prof has changed in these processes and their child processes. `library` is the path
// of the injection library in them. Prints a message for each process that could not be detached
// from. Returns the longest time that a thread was stopped, in ns.
std::uint64_t detach_from(const std::vector<pid_t>& processes, const std::string& library);

class Attachment {
 public:
  // Creates the session. No session has this `name` yet.
  Attachment(std::string name, std::string library);

  // The requests that prof launch and prof start would send to the session.
  struct Request {
    std::vector<std::string> launch_words, start_words;
    std::uint32_t features;
    std::string output;
    std::vector<std::string> warnings;
    bool is_flight_recorder = false;
  };
  // Attaches to the process and its child processes, and begins a collection. Prints a message
  // about each child process that cannot be attached to. If the process itself cannot be attached
  // to, throws Failure, and nothing is attached.
  void begin(pid_t root, const Request& request);

  // Waits for the first of: a signal, the end of `duration`, the end of the programs, and the end
  // of the collection (prof stop, prof shutdown). Returns the exit status.
  int wait(std::optional<std::chrono::nanoseconds> duration);

  // Ends the collection, detaches from the programs, and waits for the report. Returns the exit
  // status.
  int end();

 private:
  struct Process {
    pid_t pid;
    base::UniqueFd pidfd;
  };
  bool announce(pid_t process);
  base::Status check_guest(pid_t process) const;
  void begin_collection(const Request& request);
  void attach_to_tree(pid_t root, const std::string& directory);
  bool attach_to(pid_t process, const std::string& directory, bool is_first);
  std::vector<pid_t> all_processes() const;
  void detach_all() const;
  bool have_all_ended() const;
  bool handle_signals();
  int report_killed_collector() const;
  void report_ends() const;
  session::Message ask(const session::Message& request) const;
  bool is_collecting() const;

  std::string name_;
  std::string library_;
  attach::Guard guard_;  // detaches and ends the session if prof is killed, or fails
  std::optional<SessionClient> client_;
  std::optional<session::Signals> signals_;  // ^C ends the recording and nothing else
  std::vector<Process> processes_;
  attach::Outcome total_;
  std::string output_;
  bool is_flight_recorder_ = false;
  std::optional<uid_t> guest_;  // another user to whose processes root attaches
};

}  // namespace prof::cli
