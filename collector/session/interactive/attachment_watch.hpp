// Watches prof attach and its guard process. If both were killed, the collector detaches from the
// programs in their place.
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

  // Handles a descriptor that became readable. Returns false if it belongs to neither process.
  bool handle(int fd);
  // True if both processes have ended.
  bool is_orphan() const { return !prof_ && !guard_; }

  // Calls `detach` in a child process.
  void undo(const std::function<void()>& detach);
  bool has_begun_undoing() const { return undoing_.has_value(); }
  // True while the child process runs.
  bool is_undoing() const { return undoing_.value_or(0) > 0; }
  void reap();

 private:
  base::UniqueFd prof_;
  base::UniqueFd guard_;
  std::optional<pid_t> undoing_;  // 0: it has ended
};

}  // namespace prof::session
