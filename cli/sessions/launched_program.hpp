// Runs a program in a session: what prof launch does, and prof profile --start-later.
#pragma once

#include <string>
#include <vector>

#include "cli/sessions/session_options.hpp"

namespace prof::cli {

struct LaunchRequest {
  session::SessionOptions& options;  // completed by `launch`
  const LaunchOptions& launch;
  std::vector<std::string> words;     // the options of prof launch, for the session's collector
  std::vector<std::string> defaults;  // options of prof start that it need not repeat
  std::vector<std::string> notes;     // printed, and kept in the reports
};

// Returns the exit status of the program, or 128 and the signal.
int run_in_session(const LaunchRequest& request, const std::vector<std::string>& command);

// Throws Failure if the program would be recorded by two profs.
void refuse_outer_prof();

}  // namespace prof::cli
