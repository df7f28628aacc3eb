// The loop of a session: it runs from the start of the target until the target and its children
// have ended. It moves records into the spool and handles signals.
#pragma once

#include <signal.h>
#include <sys/signalfd.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "collector/session/admission/session_processes.hpp"
#include "collector/session/control/command_socket.hpp"
#include "collector/session/control/file_watch.hpp"
#include "collector/session/control/job_control.hpp"
#include "collector/session/control/user_command.hpp"
#include "collector/session/drain_pace.hpp"
#include "collector/session/flight/flight_recorder.hpp"
#include "collector/session/kernel/kernel_sources.hpp"
#include "collector/session/launch/launcher.hpp"
#include "collector/session/metrics/metric_sources.hpp"
#include "collector/session/session_context.hpp"
#include "collector/session/signals.hpp"
#include "collector/session/targets/kernel_names.hpp"
#include "collector/session/targets/target_server.hpp"

namespace prof::session {

class RecordingLoop {
 public:
  // The references outlive the object.
  RecordingLoop(const SessionContext& session, Signals& signals, TargetServer& server,
                KernelSources& kernel, MetricSources& metrics);

  // Keeps only the last seconds, in `flight`, which outlives the loop. `handle` handles the
  // descriptors of clients that request reports.
  void use_flight_recorder(FlightRecorder* flight, std::function<bool(int fd)> handle);
  // Drains all sources.
  void take_everything();

  // Lets the target run. Calls `meanwhile` while the kernel loads it.
  base::Status start(Launch& target, const std::function<void()>& meanwhile);
  // Returns when the session is over.
  void run();
  // Drains the rest. Returns the exit status of prof.
  int finish();
  bool has_target_ended() const { return !target_running_; }

 private:
  using Clock = std::chrono::steady_clock;

  base::Status listen();
  void wait(Clock::time_point due);
  Clock::time_point next_drain() const;
  void drain(Clock::time_point now);
  void record_clock();
  void check_directory();
  void print_hang();
  void handle_signals();
  bool is_sent_by_program(const signalfd_siginfo& info) const;
  bool follow_signal(int signal);
  void handle_user_signal(const signalfd_siginfo& info);
  void stop_recording();
  void end_programs();
  void look_for_files();
  void follow_job();
  void follow_order(const JobOrder& order);
  void follow_steps();
  void miss_steps();
  std::string answer(const TextCommand& command);
  std::string answer_start();
  std::string answer_stop();
  void reap_target();
  bool is_finished();
  void shut_down();
  void follow_timetable();
  void follow_ranges();
  void after_collection_start();
  void report_failed_hooks();
  void begin_timed(const std::optional<StepRequest>& steps = {});
  void stop_timed();
  void end_timed();

  const SessionContext session_;
  Signals& signals_;
  TargetServer& server_;
  KernelSources& kernel_;
  MetricSources& metrics_;
  const SessionProcesses processes_;
  FlightRecorder* flight_ = nullptr;
  std::function<bool(int fd)> handle_request_ = [](int) { return false; };
  DrainPace pace_;

  pid_t target_ = 0;
  bool target_running_ = false;
  bool watches_ends_ = false;  // watches the ends of child processes, after the target has ended
  int exit_status_ = 0;
  int interrupts_ = 0;
  bool kernel_is_idle_ = true;  // the last drain found no events of the CPUs
  bool directory_deleted_ = false;
  KernelNames kernel_names_;
  std::string hang_;  // the last message about a kernel that hangs
  std::uint32_t ranges_begun_ = 0;
  bool shutting_down_ = false;  // all capture ranges are recorded
  // The phases of a recording with a delay, a duration or triggers.
  enum class Timed { kNo, kBefore, kWithin, kAfter };
  Timed timed_ = Timed::kNo;
  Clock::time_point next_edge_ = Clock::time_point::max();
  FileWatch start_file_;
  FileWatch stop_file_;
  std::optional<CommandSocket> commands_;
  StartedCommands hooks_;
  std::optional<JobControl> job_;
  std::optional<JobOrder> awaited_steps_;  // an order to start at a step
  std::optional<StepPace> step_pace_;      // with a job, if steps are counted
  Clock::time_point last_step_look_{};
  Clock::time_point kill_at_ = Clock::time_point::max();  // after an interrupt
  bool give_up_ = false;                                  // end without waiting for any process
  Clock::time_point give_up_at_ = Clock::time_point::max();
  Clock::time_point last_clock_{};
  Clock::time_point last_scan_{};
};

}  // namespace prof::session
