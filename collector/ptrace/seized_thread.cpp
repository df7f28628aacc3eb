#include "collector/ptrace/seized_thread.hpp"

#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

#include <string>

#include "common/base/raw_time.hpp"

namespace prof::ptrace {

namespace {

using std::chrono::nanoseconds;

// How long detach() waits for a thread to stop.
constexpr nanoseconds kDetachWait = std::chrono::milliseconds(500);

base::Error refusal(pid_t thread, int error) {
  const std::string name = "thread " + std::to_string(thread);
  if (error == ESRCH) return {name + " has ended"};
  if (error == EPERM)
    return {name +
            " may not be traced: it belongs to another user or has more rights, another "
            "debugger traces it, or Yama forbids it (kernel.yama.ptrace_scope)"};
  return {"cannot trace " + name + ": " + strerror(error)};
}

void sleep_ns(std::uint64_t duration) {
  const timespec time{0, static_cast<long>(duration)};
  nanosleep(&time, nullptr);
}

}  // namespace

base::Result<SeizedThread> SeizedThread::seize(pid_t thread) {
  if (::ptrace(PTRACE_SEIZE, thread, 0, PTRACE_O_TRACESYSGOOD) != 0)
    return tl::make_unexpected(refusal(thread, errno));
  return SeizedThread(thread);
}

SeizedThread& SeizedThread::operator=(SeizedThread&& other) noexcept {
  if (this == &other) return *this;
  detach();
  id_ = std::exchange(other.id_, 0);
  state_ = other.state_;
  signal_ = other.signal_;
  asked_ = other.asked_;
  ran_at_ = other.ran_at_;
  stopped_at_ = other.stopped_at_;
  stopped_ns_ = other.stopped_ns_;
  return *this;
}

void SeizedThread::interrupt() {
  if (state_ != State::kRunning || id_ == 0) return;
  if (!asked_) ran_at_ = base::raw_time();
  asked_ = true;
  ::ptrace(PTRACE_INTERRUPT, id_, 0, 0);
}

void SeizedThread::note(int status) {
  if (!WIFSTOPPED(status)) {
    state_ = State::kGone;
    id_ = 0;
    return;
  }
  stopped_at_ = ran_at_;
  asked_ = false;
  const int signal = WSTOPSIG(status);
  const int event = status >> 16;
  signal_ = 0;
  if (event == PTRACE_EVENT_STOP) {
    const bool is_job_control =
        signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
    state_ = is_job_control ? State::kJobStopped : State::kInterrupted;
  } else if (signal == (SIGTRAP | 0x80)) {
    state_ = State::kSystemCall;
  } else {
    state_ = State::kSignal;
    signal_ = signal;
  }
}

bool SeizedThread::poll() {
  if (state_ != State::kRunning) return true;
  int status = 0;
  const std::uint64_t now = base::raw_time();
  const pid_t changed = ::waitpid(id_, &status, __WALL | WNOHANG);
  if (changed == 0) ran_at_ = now;
  if (changed == id_) {
    note(status);
  } else if (changed < 0 && errno != EINTR) {
    state_ = State::kGone;
    id_ = 0;
  }
  return state_ != State::kRunning;
}

bool SeizedThread::wait(nanoseconds timeout) {
  const std::uint64_t end = base::raw_time() + static_cast<std::uint64_t>(timeout.count());
  std::uint64_t pause = 10'000;
  while (!poll()) {
    if (base::raw_time() >= end) return false;
    sleep_ns(pause);
    pause = std::min<std::uint64_t>(pause * 3 / 2, 1'000'000);
  }
  return true;
}

void SeizedThread::go_on(int request) {
  if (!is_stopped()) return;
  stopped_ns_ += base::raw_time() - stopped_at_;
  const bool is_dead = ::ptrace(static_cast<__ptrace_request>(request), id_, 0, signal_) != 0;
  state_ = State::kRunning;
  ran_at_ = base::raw_time();
  signal_ = 0;
  // The thread has been killed. Its parent is notified of the end only after the tracer has waited
  // for it.
  if (is_dead) wait(kDetachWait);
}

void SeizedThread::resume() {
  const bool stays_stopped = state_ == State::kJobStopped;
  go_on(stays_stopped ? PTRACE_LISTEN : PTRACE_CONT);
}

void SeizedThread::go_to_system_call() { go_on(PTRACE_SYSCALL); }

bool SeizedThread::stop_again(nanoseconds timeout) {
  if (is_stopped()) {
    ::ptrace(PTRACE_INTERRUPT, id_, 0, 0);
    go_on(PTRACE_CONT);
  } else {
    interrupt();
  }
  return wait(timeout);
}

void SeizedThread::detach() {
  if (id_ == 0) return;
  if (!is_stopped()) {
    interrupt();
    wait(kDetachWait);
  }
  go_on(PTRACE_DETACH);
  id_ = 0;
}

base::Result<std::uint64_t> SeizedThread::signal_mask() const {
  std::uint64_t mask = 0;
  if (::ptrace(PTRACE_GETSIGMASK, id_, sizeof mask, &mask) != 0)
    return base::fail_errno("cannot read the signal mask of thread " + std::to_string(id_), errno);
  return mask;
}

base::Status SeizedThread::set_signal_mask(std::uint64_t mask) {
  if (::ptrace(PTRACE_SETSIGMASK, id_, sizeof mask, &mask) != 0)
    return base::fail_errno("cannot write the signal mask of thread " + std::to_string(id_), errno);
  return {};
}

std::uint64_t SeizedThread::stopped_ns() const {
  return stopped_ns_ + (is_stopped() ? base::raw_time() - stopped_at_ : 0);
}

}  // namespace prof::ptrace
