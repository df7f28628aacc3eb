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

// What a signal does to a recording, if prof gets it. docs/sessions.md has the table.
enum class SignalUse {
  kEnds,           // prof passes it on, and writes the report when the program has ended
  kEndsRecording,  // prof writes the report at once; the program goes on
  kPassedOver,     // nothing: it is neither for prof nor passed on
  kSurvived,       // the call that caused it fails instead
  kSystem,         // what the system does by default: job control, faults, SIGKILL
};
SignalUse use_of(int signal);

class Signals {
 public:
  // Blocks SIGCHLD, and the signals that end or do nothing, unless they are ignored. Sets SIGCHLD
  // to its default, as an inherited SIG_IGN would discard the target's exit status. Ignores SIGPIPE
  // and SIGXFSZ, as neither a closed stderr nor the limit of file sizes must end the recording.
  // `and_requests`: SIGUSR1 asks for a report.
  explicit Signals(bool and_requests = false);
  // Restores everything. Discards signals that arrived too late to be handled, so that a second
  // interrupt does not cost the report.
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  // An error if signals cannot be received. They are not blocked then.
  base::Status status() const;

  // next() returns this signal, too.
  void add(int signal);

  // A signal that has arrived and that prof acts on. Says once of each other signal that it does
  // nothing.
  std::optional<signalfd_siginfo> next();
  // Any signal that has arrived.
  std::optional<signalfd_siginfo> next_of_all() const;

  // Readable when a signal has arrived.
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

// Has the kernel sent the signal to the foreground process group, and so to the program too? When a
// terminal hangs up, the kernel sends SIGHUP to the session leader only.
bool has_reached_group(const signalfd_siginfo& info);

}  // namespace prof::session
