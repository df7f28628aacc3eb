#include "collector/session/signals.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

namespace prof::session {

namespace {

bool is_ignored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

Signals::Signals(bool and_requests) {
  sigemptyset(&blocked_);
  sigaddset(&blocked_, SIGCHLD);
  // If an ignored signal (nohup) were blocked, the descriptor would deliver it.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT})
    if (!is_ignored(signal)) sigaddset(&blocked_, signal);
  if (and_requests && !is_ignored(SIGUSR1)) sigaddset(&blocked_, SIGUSR1);
  sigprocmask(SIG_BLOCK, &blocked_, &original_mask_);
  set_action(SIGCHLD, SIG_DFL);
  set_action(SIGPIPE, SIG_IGN);
  set_action(SIGXFSZ, SIG_IGN);
  fd_.reset(signalfd(-1, &blocked_, SFD_CLOEXEC | SFD_NONBLOCK));
}

void Signals::add(int signal) {
  sigaddset(&blocked_, signal);
  sigprocmask(SIG_BLOCK, &blocked_, nullptr);
  signalfd(fd_.get(), &blocked_, SFD_CLOEXEC | SFD_NONBLOCK);
}

void Signals::set_action(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  struct sigaction before {};
  sigaction(signal, &action, &before);
  original_actions_.emplace_back(signal, before);
}

Signals::~Signals() {
  signalfd_siginfo late{};
  while (read(fd_.get(), &late, sizeof late) == sizeof late) {
  }
  for (const auto& [signal, action] : original_actions_) sigaction(signal, &action, nullptr);
  sigprocmask(SIG_SETMASK, &original_mask_, nullptr);
}

bool has_reached_group(const signalfd_siginfo& info) {
  const bool hangup = info.ssi_signo == SIGHUP && getsid(0) == getpid();
  return info.ssi_code == SI_KERNEL && !hangup;
}

}  // namespace prof::session
