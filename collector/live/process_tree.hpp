// The processes of the machine: which belong to a name, and which to one another.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace prof::live {

struct Process {
  pid_t pid = 0;
  pid_t parent = 0;
  char state = '?';                // as in /proc/PID/stat
  std::string name;                // of its main thread
  std::vector<std::string> words;  // its command line
  int rank = -1;  // in a job of several processes; -1: none is known. See trees_of()

  std::string command() const;
};

// All that can be seen, without prof itself.
std::vector<Process> all_processes();

// Processes whose main thread, program, or script of an interpreter has this name.
std::vector<pid_t> find_by_name(const std::vector<Process>& all, const std::string& name);

// The processes themselves and, if wanted, all that they have started. Parents come before their
// child processes. Those that do not exist are left out. The ranks are filled in.
std::vector<Process> trees_of(const std::vector<Process>& all, const std::vector<pid_t>& roots,
                              bool with_children);

}  // namespace prof::live
