#include "collector/session/recording_loop.hpp"

#include <errno.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "common/base/log.hpp"
#include "common/base/text_file.hpp"
#include "common/wire/kernel_records.hpp"

namespace prof::session {

using base::Status;
using std::chrono::milliseconds;

namespace {

constexpr auto kClockInterval = milliseconds(1000);
constexpr auto kMemberScanInterval = milliseconds(100);
constexpr auto kTerminateGrace = milliseconds(5000);
constexpr int kInterruptsToKill = 3;
// How long the program may take to end after a second interrupt, which some programs need.
constexpr auto kInterruptGrace = milliseconds(1000);
// Time after the last signal that prof sends.
constexpr auto kKillGrace = milliseconds(1000);

}  // namespace

RecordingLoop::RecordingLoop(const SessionContext& session, Signals& signals, TargetServer& server,
                             KernelSources& kernel, MetricSources& metrics)
    : session_(session),
      signals_(signals),
      server_(server),
      kernel_(kernel),
      metrics_(metrics),
      processes_(session.directory.path()),
      pace_(session.options),
      kernel_names_(session.directory),
      start_file_(session.options.time.start_on),
      stop_file_(session.options.time.stop_on) {
  session_.loop.watch(signals_.fd());
}

void RecordingLoop::use_flight_recorder(FlightRecorder* flight, std::function<bool(int)> handle) {
  flight_ = flight;
  handle_request_ = std::move(handle);
}

void RecordingLoop::take_everything() {
  kernel_.drain(true);
  metrics_.drain(true);
  session_.chains.read_jit_dumps(session_.recorder);
  server_.take_everything();
}

// Listens for commands of programs and scripts.
Status RecordingLoop::listen() {
  auto commands =
      CommandSocket::create(session_.loop, session_.directory.file(kCommandSocketName),
                            [this](const TextCommand& command) { return answer(command); });
  if (!commands) return tl::make_unexpected(commands.error());
  commands_.emplace(std::move(*commands));
  if (session_.options.time.job.empty()) return {};
  auto job = JobControl::create(session_.options.time.job);
  if (!job) return tl::make_unexpected(job.error());
  job_.emplace(std::move(*job));
  if (session_.options.ranges.counts_steps) step_pace_.emplace(Clock::now());
  return {};
}

Status RecordingLoop::start(Launch& target, const std::function<void()>& meanwhile) {
  target_ = target.pid();
  if (Status listening = listen(); !listening) return listening;
  if (Status ready = metrics_.wait_until_ready(signals_.fd()); !ready) return ready;
  record_clock();
  const TimeOptions& time = session_.options.time;
  if (time.is_any()) {
    timed_ = Timed::kBefore;
    const bool waits = time.start_on.is_set() || job_;
    if (!waits) next_edge_ = Clock::now() + time.delay;
    if (!waits && time.delay.count() == 0) begin_timed();
  }
  target.start();
  meanwhile();
  Status started = target.wait_for_exec();
  target_running_ = started.has_value();
  if (started && timed_ == Timed::kNo && !session_.options.ranges.enabled) after_collection_start();
  return started;
}

void RecordingLoop::run() {
  while (!is_finished()) {
    wait(std::min(next_drain(), next_edge_));
    look_for_files();
    follow_job();
    follow_timetable();
    follow_ranges();
    // The target is reaped even without a SIGCHLD: a thread of a tool that is preloaded into prof
    // may take the signal.
    reap_target();
    if (!target_running_ && !watches_ends_) server_.watch_ends();
    watches_ends_ = !target_running_;
    const bool in_range = server_.captures().has_captured();
    kernel_is_idle_ = !kernel_.drain(in_range);
    metrics_.drain(in_range);
    const auto now = Clock::now();
    if (now < next_drain()) continue;
    drain(now);
    kernel_names_.answer();
    if (flight_ != nullptr) flight_->turn();
    if (now - last_clock_ < kClockInterval) continue;
    record_clock();
    report_failed_hooks();
    session_.recorder.secure_space();
    check_directory();
    print_hang();
  }
}

RecordingLoop::Clock::time_point RecordingLoop::next_drain() const {
  return pace_.due(server_.is_drain_requested());
}

void RecordingLoop::wait(Clock::time_point due) {
  const auto left = std::chrono::ceil<milliseconds>(due - Clock::now());
  milliseconds longest =
      target_running_ && kernel_is_idle_ ? pace_.idle_interval() : DrainPace::kPollInterval;
  if (start_file_.is_active() || stop_file_.is_active())
    longest = std::min(longest, milliseconds(FileWatch::kInterval));
  session_.loop.wait(std::clamp(left, milliseconds(0), longest), [&](int fd) {
    if (commands_ && commands_->handle(fd)) return;
    if (!server_.handle(fd) && !handle_request_(fd) && fd == signals_.fd()) handle_signals();
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

// Prints the message of a program about a kernel that hangs while it is profiled.
void RecordingLoop::print_hang() {
  if (session_.options.kernel_plan.empty()) return;
  auto message = base::read_text_file(session_.directory.file(wire::kKernelHangName));
  if (!message || message->size() < 2 || *message == hang_) return;
  hang_ = std::move(*message);
  base::log_warning("{}", std::string_view(hang_).substr(0, hang_.find('\n')));
}

void RecordingLoop::handle_signals() {
  while (const auto info = signals_.next()) {
    if (info->ssi_signo == SIGCHLD)
      reap_target();
    else if (info->ssi_signo == SIGUSR1 && flight_ != nullptr)
      flight_->request({.by = "signal"});
    else if (!is_sent_by_program(*info) && !follow_signal(static_cast<int>(info->ssi_signo)))
      handle_user_signal(*info);
  }
}

// True if a program sent the signal. A program can end its workers by kill(0, SIGTERM). prof is in
// its process group and gets the signal, too, but the signal is not meant for prof.
bool RecordingLoop::is_sent_by_program(const signalfd_siginfo& info) const {
  const auto sender = static_cast<pid_t>(info.ssi_pid);
  return info.ssi_code != SI_KERNEL && (sender == target_ || server_.serves(sender));
}

// Handles the signals of --start-on and --stop-on, which are for prof alone. One signal can do
// both.
bool RecordingLoop::follow_signal(int signal) {
  const TimeOptions& time = session_.options.time;
  const bool starts = time.start_on.is_signal(signal);
  const bool stops = time.stop_on.is_signal(signal);
  if (starts && timed_ == Timed::kBefore)
    begin_timed();
  else if (stops && timed_ == Timed::kWithin)
    end_timed();
  return starts || stops;
}

void RecordingLoop::look_for_files() {
  if (start_file_.is_active() && start_file_.has_appeared() && timed_ == Timed::kBefore)
    begin_timed();
  else if (stop_file_.is_active() && stop_file_.has_appeared() && timed_ == Timed::kWithin)
    end_timed();
}

// The program goes on after the end of the recording.
void RecordingLoop::follow_job() {
  if (!job_) return;
  if (step_pace_) follow_steps();
  const auto order = job_->poll(Clock::now(), step_pace_ ? &*step_pace_ : nullptr);
  if (order) follow_order(*order);
}

void RecordingLoop::follow_order(const JobOrder& order) {
  const bool starts = order.kind == OrderKind::kStart;
  if (timed_ == Timed::kBefore) awaited_steps_.reset();
  if (starts && timed_ == Timed::kBefore && order.steps) {
    awaited_steps_ = order;
  } else if (starts && timed_ == Timed::kBefore) {
    begin_timed();
    job_->acknowledge("started", order);
  } else if (!starts && timed_ == Timed::kWithin) {
    stop_timed();
    job_->acknowledge("stopped", order);
  }
}

// Begins the recording shortly before the first step of an order, and ends it after the last one.
void RecordingLoop::follow_steps() {
  const auto now = Clock::now();
  if (now - last_step_look_ >= StepPace::kInterval) {
    last_step_look_ = now;
    step_pace_->look(server_.steps_begun(), now);
  }
  if (!awaited_steps_) return;
  if (timed_ == Timed::kBefore && step_pace_->is_near(awaited_steps_->steps->first)) {
    begin_timed(awaited_steps_->steps);
    job_->acknowledge("started", *awaited_steps_);
  } else if (timed_ == Timed::kWithin && server_.captures().are_captures_done()) {
    stop_timed();
    job_->acknowledge("stopped", *awaited_steps_);
  } else if (timed_ == Timed::kWithin && server_.captures().ranges_begun() == 0 &&
             step_pace_->begun() > awaited_steps_->steps->first + 1) {
    miss_steps();
  }
}

// The first step began while the recording was prepared. Another order may follow.
void RecordingLoop::miss_steps() {
  base::log_warning("step {} began before the recording was prepared, and is not recorded",
                    awaited_steps_->steps->first);
  stop_timed();
  timed_ = Timed::kBefore;
  job_->acknowledge(fmt::format("passed {}", step_pace_->begun()), *awaited_steps_);
  awaited_steps_.reset();
}

// Passes on a signal that has not reached the target, which then decides what to do. prof waits for
// it, but only for a limited time: then --kill decides. With --kill=none, and if prof's CPU time is
// over, the target goes on, so it does not get the signal, and prof does not wait.
void RecordingLoop::handle_user_signal(const signalfd_siginfo& info) {
  const auto signal = static_cast<int>(info.ssi_signo);
  const bool interrupted = signal == SIGINT || signal == SIGQUIT;
  const bool leaves_program =
      session_.options.ranges.kill_signal == 0 || use_of(signal) == SignalUse::kEndsRecording;
  if (interrupted || leaves_program) stop_recording();
  if (leaves_program || (interrupted && !target_running_)) {
    base::log_warning("{}; writing the report without waiting for the program",
                      signal == SIGXCPU ? "the limit of CPU time is reached" : "interrupted");
    give_up_ = true;
    return;
  }
  if (!target_running_) {
    give_up_at_ = std::min(give_up_at_, Clock::now() + kTerminateGrace);
    return;
  }
  if (!has_reached_group(info)) kill(target_, signal);
  const auto grace = interrupted && interrupts_++ > 0 ? kInterruptGrace : kTerminateGrace;
  kill_at_ = std::min(kill_at_, Clock::now() + grace);
  if (interrupts_ >= kInterruptsToKill) kill_at_ = Clock::now();
}

// Stops recording: later events are not part of the report.
void RecordingLoop::stop_recording() {
  if (timed_ == Timed::kWithin) return stop_timed();
  if (timed_ != Timed::kNo || session_.options.ranges.enabled || interrupts_ > 0) {
    if (timed_ == Timed::kBefore) timed_ = Timed::kAfter;
    next_edge_ = Clock::time_point::max();
    return;
  }
  session_.recorder.note(spool::StopNote{session_.clock.now()});
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
  // prof itself ended the program, as requested, so the program has not failed.
  const bool ended_by_prof = shutting_down_ && WIFSIGNALED(status) &&
                             WTERMSIG(status) == session_.options.ranges.kill_signal;
  if (ended_by_prof) return;
  exit_status_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// Ends the session after its last range. Also ends the program, unless it is to continue.
void RecordingLoop::shut_down() {
  shutting_down_ = true;
  if (session_.options.ranges.kill_signal == 0) {
    give_up_ = true;
    return;
  }
  end_programs();
  give_up_at_ = std::min(give_up_at_, Clock::now() + kTerminateGrace);
}

void RecordingLoop::end_programs() {
  const int signal = session_.options.ranges.kill_signal;
  if (target_running_) kill(target_, signal);
  for (const pid_t pid : processes_.find())  // the search takes long on a busy machine
    if (pid != target_) kill(pid, signal);
}

void RecordingLoop::follow_timetable() {
  if (Clock::now() < next_edge_) return;
  timed_ == Timed::kBefore ? begin_timed() : end_timed();
}

// Handles ranges that have begun since the last call.
void RecordingLoop::follow_ranges() {
  for (const std::uint32_t begun = server_.captures().ranges_begun(); ranges_begun_ < begun;
       ++ranges_begun_)
    after_collection_start();
}

void RecordingLoop::after_collection_start() {
  hooks_.start({session_.options.hooks.after_collection_start, kCollectionStarted,
                session_name(session_.options.flight), session_.options.hooks.timeout});
}

void RecordingLoop::report_failed_hooks() {
  for (const std::string& failure : hooks_.take_failures())
    session_.recorder.diagnostic(spool::Severity::kWarning, failure);
}

// If there are `steps`, the program begins and ends the recording, which is one capture range.
void RecordingLoop::begin_timed(const std::optional<StepRequest>& steps) {
  timed_ = Timed::kWithin;
  const auto& duration = session_.options.time.duration;
  next_edge_ = duration ? Clock::now() + *duration : Clock::time_point::max();
  CaptureRangeOptions ranges = session_.options.ranges;
  ranges.at_step = steps;
  ranges.enabled = ranges.by_nvtx = steps.has_value();
  ranges.count = 1;
  server_.captures().begin_tracing(ranges);
  if (!steps) session_.recorder.edge(wire::CaptureEvent::kBegin, session_.clock.now());
  server_.captures().wake_processes();
  if (!steps) after_collection_start();
}

void RecordingLoop::stop_timed() {
  timed_ = Timed::kAfter;
  next_edge_ = Clock::time_point::max();
  if (!server_.captures().are_captures_done())
    session_.recorder.edge(wire::CaptureEvent::kEnd, session_.clock.now());
  server_.captures().quiet_processes();
  kernel_.drain(true);
  metrics_.drain(true);
  server_.take_gpu_records([this] {
    kernel_.drain(false);
    metrics_.drain(false);
  });
}

// Ends the program, or lets it go on without being recorded.
void RecordingLoop::end_timed() {
  stop_timed();
  shut_down();
}

std::string RecordingLoop::answer(const TextCommand& command) {
  if (command.verb == "start") return answer_start();
  if (command.verb == "stop") return answer_stop();
  if (command.verb == "mark")
    return server_.mark(command.sender, std::string(command.rest)) ? "ok" : "error no program runs";
  if (command.verb != "status") return "error unknown command; known: start, stop, mark, status";
  constexpr const char* kStates[] = {"ok Collection", "ok DelayedCollection", "ok Collection",
                                     "ok Launched"};
  return kStates[static_cast<int>(timed_)];
}

std::string RecordingLoop::answer_start() {
  if (!session_.options.time.start_on.is_control())
    return "error prof profile waits for this command with --start-on=control only";
  if (timed_ != Timed::kBefore) return "error prof profile collects only once";
  begin_timed();
  return "ok";
}

std::string RecordingLoop::answer_stop() {
  if (!session_.options.time.stop_on.is_control())
    return "error prof profile waits for this command with --stop-on=control only";
  if (timed_ != Timed::kWithin) return "error nothing is collected";
  end_timed();
  return "ok";
}

bool RecordingLoop::is_finished() {
  if (session_.options.ranges.shutdown && !shutting_down_ && server_.captures().are_captures_done())
    shut_down();
  if (give_up_) return true;
  const auto now = Clock::now();
  if (now >= kill_at_) {
    kill_at_ = Clock::time_point::max();
    end_programs();
    give_up_at_ = std::min(give_up_at_, now + kKillGrace);
  }
  if (now >= give_up_at_) {
    if (target_running_)
      base::log_warning("the program is still running; writing the report without waiting for it");
    return true;
  }
  if (target_running_) return false;
  if (!session_.options.stop_on_exit && timed_ == Timed::kWithin) return false;
  if (session_.options.wait == Wait::kPrimary) return true;
  if (server_.has_processes()) return false;
  // Child processes that have not joined yet, or cannot join, have the session in their
  // environment.
  if (now - last_scan_ < kMemberScanInterval) return false;
  last_scan_ = now;
  return processes_.find().empty();
}

int RecordingLoop::finish() {
  check_directory();
  follow_ranges();
  report_failed_hooks();
  session_.chains.read_jit_dumps(session_.recorder);
  server_.close();
  const bool in_range = server_.captures().has_captured();
  kernel_.finish(in_range);
  metrics_.finish(in_range);
  session_.chains.read_jit_dumps(session_.recorder);
  return exit_status_;
}

}  // namespace prof::session
