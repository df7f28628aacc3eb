// The signals that the collector handles, as a descriptor, and the original mask and dispositions,
// which the target gets.
#pragma once

#include <signal.h>
#include <sys/signalfd.h>

#include <optional>
#include <utility>
#include <vector>

#include "common/base/result.hpp"
#include "common/base/unique_fd.hpp"

namespace prof::session {

using SignalActions = std::vector<std::pair<int, struct sigaction>>;

// The effect on a recording of a signal that prof gets. docs/sessions.md has the table.
enum class SignalUse {
  kEnds,           // prof passes it on, and writes the report when the program has ended
  kEndsRecording,  // prof writes the report at once; the program goes on
  kPassedOver,     // no effect: the signal is neither for prof nor passed on
  kSurvived,       // the call that caused the signal fails instead
  kSystem,         // the system's default effect: job control, faults, SIGKILL
};
SignalUse use_of(int signal);

class Signals {
 public:
  // Blocks SIGCHLD, and the signals that end a recording or have no effect, unless they are
  // ignored. Sets SIGCHLD to its default, because an inherited SIG_IGN would discard the target's
  // exit status. Ignores SIGPIPE and SIGXFSZ, because neither a closed stderr nor the limit of file
  // sizes may end the recording. `and_requests`: SIGUSR1 asks for a report.
  explicit Signals(bool and_requests = false);
  // Restores everything. Discards signals that arrived too late to be handled, so that a second
  // interrupt does not cost the report.
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  // Returns an error if signals cannot be received. Then they are not blocked.
  base::Status status() const;

  // Makes next() return this signal, too.
  void add(int signal);

  // Returns a signal that has arrived and that prof acts on. Reports once, for each other signal,
  // that it has no effect.
  std::optional<signalfd_siginfo> next();
  // Returns any signal that has arrived.
  std::optional<signalfd_siginfo> next_of_all() const;

  // A descriptor that is readable when a signal has arrived.
  int fd() const { return fd_.get(); }
  const sigset_t& original_mask() const { return original_mask_; }
  const SignalActions& original_actions() const { return original_actions_; }

 private:
  void set_action(int signal, void (*handler)(int));

  sigset_t original_mask_{};
  sigset_t blocked_{};
  sigset_t acted_on_{};
  sigset_t reported_{};
  SignalActions original_actions_;
  base::UniqueFd fd_;
  int error_ = 0;
};

// True if the kernel has sent the signal to the foreground process group, and so to the program,
// too. When a terminal hangs up, the kernel sends SIGHUP to the session leader only.
bool has_reached_group(const signalfd_siginfo& info);

}  // namespace prof::session
