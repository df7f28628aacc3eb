// Executables of processes, as in /proc/PID/exe.
#pragma once

#include <sys/types.h>

#include <string>
#include <unordered_map>

namespace prof::session {

// Returns the executable of a process, or else the kernel's name for the process. Empty if the
// process has ended.
std::string process_name(pid_t pid);

// Finds the executables for the paths by which programs were started, for processes that may have
// ended. Each path is looked up once.
class ProgramNames {
 public:
  // Follows links, and scripts to their interpreter. Returns the path itself if no file is there.
  const std::string& executable_of(const std::string& path);

 private:
  std::unordered_map<std::string, std::string> known_;
};

}  // namespace prof::session
