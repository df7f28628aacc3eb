#include "collector/session/signals.hpp"

#include <sys/signalfd.h>

namespace prof::session {

Signals::Signals() {
  sigset_t blocked;
  sigemptyset(&blocked);
  for (const int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&blocked, signal);
  sigprocmask(SIG_BLOCK, &blocked, &original_mask_);
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &action, &original_child_action_);
  fd_.reset(signalfd(-1, &blocked, SFD_CLOEXEC | SFD_NONBLOCK));
}

Signals::~Signals() {
  sigaction(SIGCHLD, &original_child_action_, nullptr);
  sigprocmask(SIG_SETMASK, &original_mask_, nullptr);
}

}  // namespace prof::session
