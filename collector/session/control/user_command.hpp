// Commands of the user that run when a collection has begun or a report is ready.
#pragma once

#include <string>

namespace prof::session {

// nsys's names for the moments, in NSYS_CALLBACK_NAME and PROF_CALLBACK_NAME.
inline constexpr char kCollectionStarted[] = "after-collection-start";
inline constexpr char kReportReady[] = "after-report-ready";

struct UserCommand {
  std::string text;      // for sh -c; empty: nothing runs
  std::string callback;  // one of the names above
  std::string session;
  std::string report = {};  // its path; empty: there is none yet
};

// Runs the command with the standard output and error of prof, nothing to read, and in its
// environment NSYS_ and PROF_ with CALLBACK_NAME, SESSION_NAME and REPORT_PATH.

// Does not wait for its end.
void start_user_command(const UserCommand& command);
// Waits for its end. Returns its exit status, or 128 and the signal.
int run_user_command(const UserCommand& command);

}  // namespace prof::session
