// prof attach and its guard, as long as they run. If both were killed, the collector takes back
// what they have changed in programs.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <vector>

#include "collector/session/event_loop.hpp"
#include "common/base/unique_fd.hpp"

namespace prof::session {

class AttachmentWatch {
 public:
  AttachmentWatch(const EventLoop& loop, const std::vector<pid_t>& prof_and_guard);

  // Handles a descriptor that became readable. False if it is not one of these.
  bool handle(int fd);
  // Have both ended?
  bool is_orphan() const { return !prof_ && !guard_; }

  // Calls `detach` in a child process.
  void undo(const std::function<void()>& detach);
  bool has_begun_undoing() const { return undoing_.has_value(); }
  // Does the child process run?
  bool is_undoing() const { return undoing_.value_or(0) > 0; }
  void reap();

 private:
  base::UniqueFd prof_;
  base::UniqueFd guard_;
  std::optional<pid_t> undoing_;  // 0: it has ended
};

}  // namespace prof::session
