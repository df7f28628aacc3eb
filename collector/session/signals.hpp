// The signals a recording listens to, as a descriptor, and how things were before, for the target.
#pragma once

#include <signal.h>

#include "collector/base/unique_fd.hpp"

namespace prof::session {

class Signals {
 public:
  // Blocks SIGCHLD, SIGINT, SIGTERM, SIGHUP and SIGQUIT, and takes SIGCHLD back from an inherited
  // SIG_IGN, which would reap the target's exit status before we see it.
  Signals();
  // Puts everything back.
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  // A non-blocking signalfd.
  int fd() const { return fd_.get(); }
  const sigset_t& original_mask() const { return original_mask_; }
  const struct sigaction& original_child_action() const { return original_child_action_; }

 private:
  sigset_t original_mask_{};
  struct sigaction original_child_action_ {};
  base::UniqueFd fd_;
};

}  // namespace prof::session
