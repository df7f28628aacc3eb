// What processes run: names as /proc/PID/exe has them.
#pragma once

#include <sys/types.h>

#include <string>
#include <unordered_map>

namespace prof::session {

// Executable of a process, or the kernel's name for it; empty if it has ended.
std::string process_name(pid_t pid);

// Executables behind the paths that programs were started by, for processes that may be gone. Each
// is looked up once.
class ProgramNames {
 public:
  // Links followed, of a script its interpreter; the path itself if nothing is there.
  const std::string& executable_of(const std::string& path);

 private:
  std::unordered_map<std::string, std::string> known_;
};

}  // namespace prof::session
