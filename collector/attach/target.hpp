// A process that prof attaches to, and the obstacles to attaching.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "common/base/result.hpp"

namespace prof::attach {

// Finds the process that the user means. `word` is a process id, the name of a program (its file or
// the name of the process), or the id of a container. If more than one process has the name, the
// error lists them.
base::Result<pid_t> find_target(const std::string& word);

// Returns the processes and all their child processes, each once, the given ones first. Looks at
// all processes of the system.
std::vector<pid_t> process_tree(const std::vector<pid_t>& roots);

// Fails if prof cannot attach. The message says why, and what would help, in one line.
base::Status check_target(pid_t process);

// Fails if the process does not find prof's file or directory under the same path. The error says
// what would help.
base::Status check_reach(pid_t process, const std::string& path);

// Fails if the user of the process may not read prof's file, which matters if root attaches to
// programs of other users.
base::Status check_readable(pid_t process, const std::string& path);

// Returns the user whom the process acts for; nothing if it has ended.
std::optional<uid_t> user_of(pid_t process);

// True if the process was started under prof, in a session whose folder still exists.
bool is_in_session(pid_t process);

// Returns the name of a process, for messages.
std::string name_of(pid_t process);

}  // namespace prof::attach
