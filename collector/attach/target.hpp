// A process that prof attaches to: what it is, and what stands in the way.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "common/base/result.hpp"

namespace prof::attach {

// The processes that the user means: a number, or a name of a program (its file or the name of the
// process), or the id of a container. More than one of a name is an error that lists them.
base::Result<pid_t> find_target(const std::string& word);

// The processes and all their child processes, each once, and first those that are given. Looks at
// all processes.
std::vector<pid_t> process_tree(const std::vector<pid_t>& roots);

// Why prof cannot attach, and what would help, in one line. Nothing: it can try.
base::Status check_target(pid_t process);

// Does the process find our file or directory under the same path? The error says what would help.
base::Status check_reach(pid_t process, const std::string& path);

// Was the process started under prof, in a session whose folder is still there?
bool is_in_session(pid_t process);

// Name of a process, for messages.
std::string name_of(pid_t process);

}  // namespace prof::attach
