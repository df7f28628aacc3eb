// Runs a program of a session in the foreground of the caller's terminal.
#pragma once

#include <string>

#include "cli/sessions/session_client.hpp"
#include "collector/session/launch/target_environment.hpp"

namespace prof::cli {

// Starts the program in the session's directory, waits for its end, and then for the reports that
// the session writes when it ends. Signals reach the program as if prof were not there, and prof
// stops and continues with the program. Returns the exit status.
int run_in_foreground(const session::SessionOptions& options, const session::Preload& preload,
                      const std::string& directory, SessionClient& client);

}  // namespace prof::cli
