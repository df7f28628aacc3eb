// A process that outlives prof: it lets the programs go if prof is killed, or fails.
#pragma once

#include <sys/types.h>

#include <functional>
#include <vector>

#include "common/base/unique_fd.hpp"

namespace prof::attach {

class Guard {
 public:
  using Undo = std::function<void(const std::vector<pid_t>& processes)>;

  // Starts the process, which ignores these signals. If prof ends without dismiss(), it calls
  // `undo` with the processes that add() has named. Throws std::system_error.
  Guard(const std::vector<int>& ignored, const Undo& undo);
  // Waits for its end: it undoes everything, unless it was dismissed.
  ~Guard();
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;
  // prof is about to attach to this process.
  void add(pid_t process);
  pid_t pid() const { return pid_; }
  // Everything has been undone.
  void dismiss();

 private:
  base::UniqueFd pipe_;
  pid_t pid_ = -1;
};

}  // namespace prof::attach
