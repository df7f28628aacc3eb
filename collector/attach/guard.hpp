// A process that outlives prof: it detaches from the programs if prof is killed or fails.
#pragma once

#include <sys/types.h>

#include <functional>
#include <vector>

#include "common/base/unique_fd.hpp"

namespace prof::attach {

class Guard {
 public:
  using Undo = std::function<void(const std::vector<pid_t>& processes)>;

  // Starts the guard process, which ignores these signals. If prof ends without dismiss(), the
  // guard calls `undo` with the processes that add() has named. Throws std::system_error.
  Guard(const std::vector<int>& ignored, const Undo& undo);
  // Waits until the guard has ended. The guard undoes everything, unless it was dismissed.
  ~Guard();
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;
  // Names a process that prof is about to attach to.
  void add(pid_t process);
  pid_t pid() const { return pid_; }
  // Ends the guard, because everything has been undone.
  void dismiss();

 private:
  base::UniqueFd pipe_;
  pid_t pid_ = -1;
};

}  // namespace prof::attach
