// Commands of the user that run when a collection has begun or a report is ready.
#pragma once

#include <string>

namespace prof::session {

// nsys's names for these moments, in NSYS_CALLBACK_NAME and PROF_CALLBACK_NAME.
inline constexpr char kCollectionStarted[] = "after-collection-start";
inline constexpr char kReportReady[] = "after-report-ready";

struct UserCommand {
  std::string text;      // command for sh -c; empty: nothing runs
  std::string callback;  // one of the names above
  std::string session;
  std::string report = {};       // path of the report; empty: no report yet
  std::string exit_status = {};  // of the program; empty: it runs, or prof has not started it
};

// Both functions run the command with prof's standard output and error and no standard input. Its
// environment has CALLBACK_NAME, SESSION_NAME and REPORT_PATH, with the prefixes NSYS_ and PROF_;
// PROF_EXIT_STATUS; PROF_NODE, the name of the host; PROF_RANK, if a launcher has given prof a
// rank.

// Does not wait for the end of the command.
void start_user_command(const UserCommand& command);
// Waits for the end of the command. Returns its exit status, or 128 and the signal.
int run_user_command(const UserCommand& command);

}  // namespace prof::session
