// The signals a recording listens to, as a descriptor, and how things were before, for the target.
#pragma once

#include <signal.h>

#include <utility>
#include <vector>

#include "collector/base/unique_fd.hpp"

namespace prof::session {

using SignalActions = std::vector<std::pair<int, struct sigaction>>;

class Signals {
 public:
  // Blocks SIGCHLD, and SIGINT, SIGTERM, SIGHUP and SIGQUIT unless they are ignored. Takes SIGCHLD
  // back from an inherited SIG_IGN, which would reap the target's exit status before we see it.
  // Ignores SIGPIPE and SIGXFSZ: neither a message that nobody reads nor a file beyond the limit
  // must end the recording.
  Signals();
  // Puts everything back. What has come too late to be listened to is forgotten: interrupting twice
  // must not cost the report.
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  // A non-blocking signalfd.
  int fd() const { return fd_.get(); }
  const sigset_t& original_mask() const { return original_mask_; }
  const SignalActions& original_actions() const { return original_actions_; }

 private:
  void set_action(int signal, void (*handler)(int));

  sigset_t original_mask_{};
  SignalActions original_actions_;
  base::UniqueFd fd_;
};

}  // namespace prof::session
