// The processes of the machine: finds them by name, and with their child processes.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace prof::live {

struct Process {
  pid_t pid = 0;
  pid_t parent = 0;
  char state = '?';                // as in /proc/PID/stat
  std::string name;                // name of the main thread
  std::vector<std::string> words;  // words of the command line
  int rank = -1;  // rank in a job of several processes, which trees_of() sets; -1: not known

  std::string command() const;
};

// Returns all processes that prof can see, except itself.
std::vector<Process> all_processes();

// Returns the processes whose main thread, program, or script of an interpreter has this name.
std::vector<pid_t> find_by_name(const std::vector<Process>& all, const std::string& name);

// Returns the processes themselves and, if wanted, all that they have started. Parents come before
// their child processes. Processes that do not exist are left out. The ranks are set.
std::vector<Process> trees_of(const std::vector<Process>& all, const std::vector<pid_t>& roots,
                              bool with_children);

}  // namespace prof::live
