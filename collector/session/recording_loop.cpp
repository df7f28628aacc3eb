#include "collector/session/recording_loop.hpp"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "collector/base/log.hpp"

namespace prof::session {

using base::Status;
using std::chrono::milliseconds;

namespace {

constexpr auto kClockInterval = milliseconds(1000);
constexpr auto kMemberScanInterval = milliseconds(100);
constexpr auto kTerminateGrace = milliseconds(5000);
constexpr int kInterruptsToGiveUp = 3;
// After a second interrupt, which some programs need, too.
constexpr auto kInterruptGrace = milliseconds(1000);

}  // namespace

RecordingLoop::RecordingLoop(const SessionContext& session, const Signals& signals,
                             TargetServer& server, KernelSources& kernel, MetricSources& metrics)
    : session_(session),
      signals_(signals),
      server_(server),
      kernel_(kernel),
      metrics_(metrics),
      processes_(session.directory.path()),
      pace_(session.options) {
  session_.loop.watch(signals_.fd());
}

Status RecordingLoop::start(Launch& target, const std::function<void()>& meanwhile) {
  target_ = target.pid();
  if (Status ready = metrics_.wait_until_ready(signals_.fd()); !ready) return ready;
  record_clock();
  const TimeOptions& time = session_.options.time;
  if (time.is_any()) {
    timed_ = Timed::kBefore;
    next_edge_ = Clock::now() + time.delay;
    if (time.delay.count() == 0) begin_timed();
  }
  target.start();
  meanwhile();
  Status started = target.wait_for_exec();
  target_running_ = started.has_value();
  return started;
}

void RecordingLoop::run() {
  while (!is_finished()) {
    wait(std::min(next_drain(), next_edge_));
    follow_timetable();
    // Also without a SIGCHLD: a thread of a tool that is preloaded into prof may take the signal.
    reap_target();
    if (!target_running_ && !watches_ends_) server_.watch_ends();
    watches_ends_ = !target_running_;
    const bool in_range = server_.has_captured();
    kernel_is_idle_ = !kernel_.drain(in_range);
    metrics_.drain(in_range);
    const auto now = Clock::now();
    if (now < next_drain()) continue;
    drain(now);
    if (now - last_clock_ < kClockInterval) continue;
    record_clock();
    check_directory();
  }
}

RecordingLoop::Clock::time_point RecordingLoop::next_drain() const {
  return pace_.due(server_.is_drain_requested());
}

void RecordingLoop::wait(Clock::time_point due) {
  const auto left = std::chrono::ceil<milliseconds>(due - Clock::now());
  const milliseconds longest =
      target_running_ && kernel_is_idle_ ? pace_.idle_interval() : DrainPace::kPollInterval;
  session_.loop.wait(std::clamp(left, milliseconds(0), longest), [&](int fd) {
    if (!server_.handle(fd) && fd == signals_.fd()) handle_signals();
  });
}

void RecordingLoop::drain(Clock::time_point now) {
  session_.chains.read_jit_dumps(session_.recorder);
  pace_.drained(server_.poll(), now);
}

void RecordingLoop::record_clock() {
  session_.recorder.clock(session_.clock.read());
  session_.recorder.check_file();
  last_clock_ = Clock::now();
}

void RecordingLoop::check_directory() {
  if (directory_deleted_ || session_.directory.is_intact()) return;
  directory_deleted_ = true;
  base::log_warning("{} was deleted; programs that are started from now on are not traced",
                    session_.directory.path());
  session_.recorder.diagnostic(spool::Severity::kWarning,
                               "The session directory was deleted while the program ran; programs "
                               "that were started afterwards were not traced.");
}

void RecordingLoop::handle_signals() {
  signalfd_siginfo info{};
  while (read(signals_.fd(), &info, sizeof info) == sizeof info) {
    if (info.ssi_signo == SIGCHLD)
      reap_target();
    else if (!is_sent_by_program(info))
      handle_user_signal(info);
  }
}

// A program can end its workers by kill(0, SIGTERM). prof is in its process group and gets the
// signal too, but the signal is not meant for prof.
bool RecordingLoop::is_sent_by_program(const signalfd_siginfo& info) const {
  const auto sender = static_cast<pid_t>(info.ssi_pid);
  return info.ssi_code != SI_KERNEL && (sender == target_ || server_.serves(sender));
}

// Passes on a signal that has not reached the target. In any case the target decides what to do,
// and prof waits for it, but only for a limited time.
void RecordingLoop::handle_user_signal(const signalfd_siginfo& info) {
  const auto signal = static_cast<int>(info.ssi_signo);
  if (target_running_ && !has_reached_group(info)) kill(target_, signal);
  if (signal == SIGTERM || signal == SIGHUP) {
    give_up_at_ = std::min(give_up_at_, Clock::now() + kTerminateGrace);
    return;
  }
  ++interrupts_;
  if (interrupts_ == 2) give_up_at_ = std::min(give_up_at_, Clock::now() + kInterruptGrace);
  if (interrupts_ >= kInterruptsToGiveUp || !target_running_) {
    base::log_warning("interrupted; writing the report without waiting for the program");
    give_up_ = true;
  }
}

void RecordingLoop::reap_target() {
  if (!target_running_) return;
  int status = 0;
  const pid_t reaped = waitpid(target_, &status, WNOHANG);
  const bool was_taken = reaped < 0 && errno == ECHILD;
  if (reaped != target_ && !was_taken) return;
  target_running_ = false;
  if (was_taken) {
    base::log_warning("the program's exit status was taken by another tool inside prof");
    return;
  }
  // prof itself ended the program, as requested. That is not a failure of the program.
  const bool ended_by_prof = shutting_down_ && WIFSIGNALED(status) &&
                             WTERMSIG(status) == session_.options.ranges.kill_signal;
  if (ended_by_prof) return;
  exit_status_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// Ends the session after its last range, and also the program unless it is to continue.
void RecordingLoop::shut_down() {
  shutting_down_ = true;
  const int signal = session_.options.ranges.kill_signal;
  if (signal == 0) {
    give_up_ = true;
    return;
  }
  if (target_running_) kill(target_, signal);
  for (const pid_t pid : processes_.find())  // a search, which takes long on a busy machine
    if (pid != target_) kill(pid, signal);
  give_up_at_ = std::min(give_up_at_, Clock::now() + kTerminateGrace);
}

void RecordingLoop::follow_timetable() {
  if (Clock::now() < next_edge_) return;
  timed_ == Timed::kBefore ? begin_timed() : end_timed();
}

void RecordingLoop::begin_timed() {
  timed_ = Timed::kWithin;
  const auto& duration = session_.options.time.duration;
  next_edge_ = duration ? Clock::now() + *duration : Clock::time_point::max();
  server_.wake_processes();
  session_.recorder.edge(wire::CaptureEvent::kBegin, session_.clock.now());
}

// The program ends, or goes on without being recorded.
void RecordingLoop::end_timed() {
  timed_ = Timed::kAfter;
  next_edge_ = Clock::time_point::max();
  session_.recorder.edge(wire::CaptureEvent::kEnd, session_.clock.now());
  server_.quiet_processes();
  kernel_.drain(true);
  metrics_.drain(true);
  server_.take_gpu_records();
  shut_down();
}

bool RecordingLoop::is_finished() {
  if (session_.options.ranges.shutdown && !shutting_down_ && server_.are_captures_done())
    shut_down();
  if (give_up_) return true;
  const auto now = Clock::now();
  if (now >= give_up_at_) {
    if (target_running_)
      base::log_warning("the program is still running; writing the report without waiting for it");
    return true;
  }
  if (target_running_) return false;
  if (!session_.options.stop_on_exit && timed_ == Timed::kWithin) return false;
  if (session_.options.wait == Wait::kPrimary) return true;
  if (server_.has_processes()) return false;
  // Child processes that have not joined yet, or cannot, have the session in their environment.
  if (now - last_scan_ < kMemberScanInterval) return false;
  last_scan_ = now;
  return processes_.find().empty();
}

int RecordingLoop::finish() {
  check_directory();
  session_.chains.read_jit_dumps(session_.recorder);
  server_.close();
  const bool in_range = server_.has_captured();
  kernel_.finish(in_range);
  metrics_.finish(in_range);
  session_.chains.read_jit_dumps(session_.recorder);
  return exit_status_;
}

}  // namespace prof::session
