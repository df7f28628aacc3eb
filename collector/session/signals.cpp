#include "collector/session/signals.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "common/base/log.hpp"

namespace prof::session {

namespace {

bool is_ignored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

SignalUse use_of(int signal) {
  switch (signal) {
    case SIGHUP:
    case SIGINT:
    case SIGQUIT:
    case SIGTERM:
    case SIGABRT:  // the signal of a watchdog
    case SIGTRAP:
    case SIGSYS:
      return SignalUse::kEnds;
    case SIGXCPU:  // after the hard limit, or by a batch system, SIGKILL ends prof soon
      return SignalUse::kEndsRecording;
    case SIGUSR1:
    case SIGUSR2:
    case SIGALRM:
    case SIGVTALRM:
    case SIGPROF:
    case SIGIO:
    case SIGPWR:
    case SIGSTKFLT:
      return SignalUse::kPassedOver;
    case SIGPIPE:
    case SIGXFSZ:
      return SignalUse::kSurvived;
    default:
      return signal >= SIGRTMIN ? SignalUse::kPassedOver : SignalUse::kSystem;
  }
}

Signals::Signals(bool and_requests) {
  sigemptyset(&blocked_);
  sigemptyset(&acted_on_);
  sigemptyset(&reported_);
  sigaddset(&blocked_, SIGCHLD);
  sigaddset(&acted_on_, SIGCHLD);
  for (int signal = 1; signal <= SIGRTMAX; ++signal) {
    const SignalUse use = use_of(signal);
    const bool acts = use == SignalUse::kEnds || use == SignalUse::kEndsRecording;
    // An ignored signal (nohup) is not blocked, because the descriptor would deliver it.
    if ((!acts && use != SignalUse::kPassedOver) || is_ignored(signal)) continue;
    sigaddset(&blocked_, signal);
    if (acts) sigaddset(&acted_on_, signal);
  }
  if (and_requests) sigaddset(&acted_on_, SIGUSR1);
  sigprocmask(SIG_BLOCK, &blocked_, &original_mask_);
  set_action(SIGCHLD, SIG_DFL);
  set_action(SIGPIPE, SIG_IGN);
  set_action(SIGXFSZ, SIG_IGN);
  fd_.reset(signalfd(-1, &blocked_, SFD_CLOEXEC | SFD_NONBLOCK));
  if (fd_) return;
  error_ = errno;
  sigprocmask(SIG_SETMASK, &original_mask_, nullptr);
}

base::Status Signals::status() const {
  if (!fd_) return base::fail_errno("cannot receive signals (signalfd)", error_);
  return {};
}

void Signals::add(int signal) {
  sigaddset(&acted_on_, signal);
  sigaddset(&blocked_, signal);
  sigprocmask(SIG_BLOCK, &blocked_, nullptr);
  signalfd(fd_.get(), &blocked_, SFD_CLOEXEC | SFD_NONBLOCK);
}

std::optional<signalfd_siginfo> Signals::next_of_all() const {
  signalfd_siginfo info{};
  if (read(fd_.get(), &info, sizeof info) != sizeof info) return std::nullopt;
  return info;
}

std::optional<signalfd_siginfo> Signals::next() {
  for (;;) {
    const auto info = next_of_all();
    if (!info) return std::nullopt;
    const auto signal = static_cast<int>(info->ssi_signo);
    if (sigismember(&acted_on_, signal) != 0) return info;
    if (sigismember(&reported_, signal) != 0) continue;
    sigaddset(&reported_, signal);
    base::log_warning("ignored signal {} ({}): prof does not pass it on to the program", signal,
                      strsignal(signal));
  }
}

void Signals::set_action(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  struct sigaction before {};
  sigaction(signal, &action, &before);
  original_actions_.emplace_back(signal, before);
}

Signals::~Signals() {
  while (next_of_all()) {
  }
  for (const auto& [signal, action] : original_actions_) sigaction(signal, &action, nullptr);
  sigprocmask(SIG_SETMASK, &original_mask_, nullptr);
}

bool has_reached_group(const signalfd_siginfo& info) {
  const bool hangup = info.ssi_signo == SIGHUP && getsid(0) == getpid();
  return info.ssi_code == SI_KERNEL && !hangup;
}

}  // namespace prof::session
