// Runs a program in a session, for prof launch and prof profile --start-later.
#pragma once

#include <string>
#include <vector>

#include "cli/sessions/launch_options.hpp"

namespace prof::cli {

struct LaunchRequest {
  session::SessionOptions& options;  // completed by launch.resolve()
  const LaunchOptions& launch;
  std::vector<std::string> words;     // the options of prof launch, for the session's collector
  std::vector<std::string> defaults;  // options of prof start, unless it gives others
  std::vector<std::string> notes;     // printed, and kept in the reports
};

// Runs the program. Returns its exit status, or 128 plus the number of the signal that ended it.
int run_in_session(const LaunchRequest& request, const std::vector<std::string>& command);

// Throws Failure if two profs would record the program.
void refuse_outer_prof();

}  // namespace prof::cli
