// The process of a session: its collector.
#pragma once

#include <string>

namespace prof::cli {

// Starts the collector of a session. It belongs to no terminal and outlives this command. Throws
// Failure if there is a session of that name, or if the collector cannot be created.
void start_session_process(const std::string& name);

}  // namespace prof::cli
