// Names of the functions that a running Java machine or Node.js has compiled, for programs that
// were started without writing them to a perf map.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "collector/live/process_tree.hpp"

namespace prof::cli {

// Asks running Java machines to write perf maps (jcmd, JDK 17 and later). Removes these maps in the
// end. Lists that existed before stay as they are.
class JitNames {
 public:
  JitNames() = default;
  ~JitNames();
  JitNames(const JitNames&) = delete;
  JitNames& operator=(const JitNames&) = delete;

  // Prints a line for each process whose names cannot be had, with what to do about that.
  void ask(const std::vector<live::Process>& processes);
  // Asks those that have written a map once more, because they compile more and more functions.
  void ask_again() const;

 private:
  std::vector<pid_t> written_;
};

}  // namespace prof::cli
