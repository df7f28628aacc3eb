// Commands of the user that run when a collection has begun or a report is ready.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "common/base/unique_fd.hpp"

namespace prof::session {

// nsys's names for these moments, in NSYS_CALLBACK_NAME and PROF_CALLBACK_NAME.
inline constexpr char kCollectionStarted[] = "after-collection-start";
inline constexpr char kReportReady[] = "after-report-ready";

struct UserCommand {
  std::string text;      // command for sh -c; empty: nothing runs
  std::string callback;  // one of the names above
  std::string session;
  std::chrono::milliseconds timeout{0};  // then the command is ended; 0: no limit
  std::string report = {};               // path of the report; empty: no report yet
  std::string exit_status = {};  // of the program; empty: it runs, or prof has not started it
};

// A command runs with prof's standard output and error and no standard input, in a process group
// that only it and its children are in. Its environment is prof's without LD_PRELOAD, and has
// CALLBACK_NAME, SESSION_NAME and REPORT_PATH, with the prefixes NSYS_ and PROF_; PROF_EXIT_STATUS;
// PROF_NODE, the name of the host; PROF_RANK, if a launcher has given prof a rank.

// Waits for the end of the command. A signal that asks prof to end (SIGINT, SIGTERM, …) ends the
// command instead. Returns what went wrong, as "--after-report-ready ended with status 1"; empty:
// nothing.
std::string run_user_command(const UserCommand& command);

// Commands that nobody waits for. Another process of prof watches each of them, and prints a line
// if it fails.
class StartedCommands {
 public:
  void start(const UserCommand& command);
  // Returns what went wrong in commands that have ended since the last call.
  std::vector<std::string> take_failures();

 private:
  std::vector<base::UniqueFd> running_;  // each becomes readable when a command has ended
};

}  // namespace prof::session
