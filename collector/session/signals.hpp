// The signals that the collector handles, as a descriptor, and the original mask and dispositions,
// which the target gets.
#pragma once

#include <signal.h>
#include <sys/signalfd.h>

#include <utility>
#include <vector>

#include "collector/base/unique_fd.hpp"

namespace prof::session {

using SignalActions = std::vector<std::pair<int, struct sigaction>>;

class Signals {
 public:
  // Blocks SIGCHLD, and SIGINT, SIGTERM, SIGHUP and SIGQUIT unless they are ignored. Sets SIGCHLD
  // to its default, as an inherited SIG_IGN would discard the target's exit status. Ignores SIGPIPE
  // and SIGXFSZ, as neither a closed stderr nor the limit of file sizes must end the recording.
  // `and_requests`: SIGUSR1 too, which asks for a report.
  explicit Signals(bool and_requests = false);
  // Restores everything. Discards signals that arrived too late to be handled, so that a second
  // interrupt does not cost the report.
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  // Has the descriptor deliver another signal, too.
  void add(int signal);

  // A non-blocking signalfd.
  int fd() const { return fd_.get(); }
  const sigset_t& original_mask() const { return original_mask_; }
  const SignalActions& original_actions() const { return original_actions_; }

 private:
  void set_action(int signal, void (*handler)(int));

  sigset_t original_mask_{};
  sigset_t blocked_{};
  SignalActions original_actions_;
  base::UniqueFd fd_;
};

// Has the kernel sent the signal to the foreground process group, and so to the program too? When a
// terminal hangs up, the kernel sends SIGHUP to the session leader only.
bool has_reached_group(const signalfd_siginfo& info);

}  // namespace prof::session
