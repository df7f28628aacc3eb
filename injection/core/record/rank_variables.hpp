// Sends the variables in which launchers say which rank of a job this process is.
#pragma once

namespace prof::core {

// Sends those variables of an environment whose values the collector does not know. The environment
// must not change meanwhile.
void send_rank_variables(char* const* environment);

// Does the same with the current environment of the program, which may have set the variables
// itself. Other threads may change it.
void send_current_rank_variables();

// Forgets what was sent, because the next session does not know it.
void forget_rank_variables();

}  // namespace prof::core
