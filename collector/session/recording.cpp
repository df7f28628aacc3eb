#include "collector/session/recording.hpp"

#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "collector/base/log.hpp"
#include "collector/session/chains/call_chain_context.hpp"
#include "collector/session/kernel/cpu_event_source.hpp"
#include "collector/session/host_info.hpp"
#include "collector/session/launch/injection_library.hpp"
#include "collector/session/launch/launcher.hpp"
#include "collector/session/launch/limits.hpp"
#include "collector/session/admission/live_processes.hpp"
#include "collector/session/session_directory.hpp"
#include "collector/session/signals.hpp"
#include "collector/session/stream_capture.hpp"
#include "collector/session/kernel/system_call_source.hpp"
#include "collector/session/launch/target_program.hpp"
#include "collector/session/target_server.hpp"
#include "collector/spool/clock_model.hpp"

namespace prof::session {

using base::Status;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

namespace {

constexpr spool::ChunkCounts kInitialChunks{2048, 128};  // 16 MiB
constexpr auto kPollInterval = milliseconds(10);
constexpr auto kIdlePollInterval = milliseconds(40);  // longest, where nothing was recorded
constexpr auto kLongestPollInterval = milliseconds(100);
constexpr std::uint64_t kLittle = std::uint64_t{1} << 20;  // bytes drained
constexpr auto kUrgentInterval = milliseconds(1);  // at most so often, however often we are called
constexpr auto kClockInterval = milliseconds(1000);
constexpr auto kMemberScanInterval = milliseconds(100);
constexpr auto kTerminateGrace = milliseconds(5000);
constexpr int kInterruptsToGiveUp = 3;

// Can we be asked for whatever cannot wait? Samples, stacks and the kernel's events have to be
// looked after while what they are about is there.
bool is_called_when_needed(const SessionOptions& options) {
  return !options.cpu.is_any() && !options.trace_system_calls && !options.stacks.osrt &&
         !options.stacks.cuda() && options.python_frequency == 0;
}

// Thousands of threads that do nothing are a look at as many chunks: not more than a tenth of our
// time goes into that. `longest`: pause where nothing happens; it gets there by and by.
Clock::duration until_next_drain(std::uint64_t drained_bytes, Clock::duration took,
                                 Clock::duration before, Clock::duration longest) {
  if (drained_bytes >= kLittle) return kPollInterval;
  const auto least = drained_bytes == 0 ? std::min(2 * before, longest) : kPollInterval;
  return std::clamp<Clock::duration>(10 * took, least, kLongestPollInterval);
}

// What the kernel records for us.
struct KernelRecordings {
  SystemCallSource system_calls;
  CpuEventSource cpu;
};

// The target's life: let go, waited for, signalled.
class Recording {
 public:
  Recording(const SessionOptions& options, const SessionDirectory& directory, SpoolRecorder& recorder,
            CallChainContext& stacks, const StreamCapture& streams, const Signals& signals, bool use_tsc)
      : options_(options),
        directory_(directory),
        recorder_(recorder),
        stacks_(stacks),
        streams_(streams),
        signals_(signals),
        use_tsc_(use_tsc) {
    loop_.watch(signals_.fd());
  }

  const EventLoop& loop() const { return loop_; }

  Status start(Launch& target);
  void serve(TargetServer& server, KernelRecordings& kernel);
  // Takes what is left and closes the books; returns prof's exit status.
  int finish(TargetServer& server, KernelRecordings& kernel);

 private:
  void read_clocks();
  void look_after_directory();
  void handle_signals(TargetServer& server);
  bool is_the_programs_own(const signalfd_siginfo& info, TargetServer& server) const;
  void handle_user_signal(const signalfd_siginfo& info);
  void reap_target();
  bool is_finished(TargetServer& server);
  void shut_down();

  const SessionOptions& options_;
  const SessionDirectory& directory_;
  SpoolRecorder& recorder_;
  CallChainContext& stacks_;
  const StreamCapture& streams_;
  const Signals& signals_;
  bool use_tsc_;
  EventLoop loop_;

  pid_t target_ = 0;
  bool target_running_ = false;
  bool watches_ends_ = false;  // of its children, which are what we wait for now
  int exit_status_ = 0;
  int interrupts_ = 0;
  bool directory_lost_ = false;
  bool shutting_down_ = false;  // all capture ranges are recorded
  bool give_up_ = false;        // finish without waiting for anybody
  Clock::time_point give_up_at_ = Clock::time_point::max();
  Clock::time_point last_clock_{};
  Clock::time_point last_scan_{};
};

void Recording::read_clocks() {
  recorder_.clock(spool::read_clocks(use_tsc_));
  recorder_.look_after_file();
  last_clock_ = Clock::now();
}

void Recording::look_after_directory() {
  if (directory_lost_ || directory_.is_intact()) return;
  directory_lost_ = true;
  base::log_warning("{} was deleted; programs that are started from now on are not traced",
                    directory_.path());
  recorder_.diagnostic(2,
                       "The session directory was deleted while the program ran; programs that "
                       "were started afterwards were not traced.");
}

Status Recording::start(Launch& target) {
  read_clocks();
  target_ = target.pid();
  Status gone = target.go();
  target_running_ = gone.has_value();
  return gone;
}

void Recording::serve(TargetServer& server, KernelRecordings& kernel) {
  Clock::time_point last_drain{};
  Clock::duration pause = kPollInterval;
  const milliseconds longest = is_called_when_needed(options_) ? kIdlePollInterval : kPollInterval;
  while (!is_finished(server)) {
    const auto due = last_drain + (server.is_urgent() ? kUrgentInterval : pause);
    const auto left = std::chrono::ceil<milliseconds>(due - Clock::now());
    const milliseconds most = target_running_ ? longest : kPollInterval;
    loop_.wait(std::clamp(left, milliseconds(0), most), [&](int fd) {
      if (!server.handle(fd) && fd == signals_.fd()) handle_signals(server);
    });
    // Unasked too: a thread that another tool's preload has brought into prof can take the signal.
    reap_target();
    if (!target_running_ && !watches_ends_) server.watch_ends();
    watches_ends_ = !target_running_;
    kernel.system_calls.drain();
    kernel.cpu.drain();
    const auto now = Clock::now();
    if (now < last_drain + (server.is_urgent() ? kUrgentInterval : pause)) continue;
    stacks_.read_jit_dumps(recorder_);
    const std::uint64_t bytes = server.poll();
    pause = until_next_drain(bytes, Clock::now() - now, pause, longest);
    last_drain = now;
    if (now - last_clock_ < kClockInterval) continue;
    read_clocks();
    look_after_directory();
  }
}

void Recording::handle_signals(TargetServer& server) {
  signalfd_siginfo info{};
  while (read(signals_.fd(), &info, sizeof info) == sizeof info) {
    if (info.ssi_signo == SIGCHLD)
      reap_target();
    else if (!is_the_programs_own(info, server))
      handle_user_signal(info);
  }
}

// kill(0, SIGTERM), by which a program ends its workers: we are in its process group, but not
// meant.
bool Recording::is_the_programs_own(const signalfd_siginfo& info, TargetServer& server) const {
  const auto sender = static_cast<pid_t>(info.ssi_pid);
  return info.ssi_code != SI_KERNEL && (sender == target_ || server.serves(sender));
}

// Has the kernel sent it to the foreground group, and so to the target too? When a terminal hangs
// up it tells the leader of the session alone.
bool reached_the_target(const signalfd_siginfo& info) {
  const bool hangup = info.ssi_signo == SIGHUP && getsid(0) == getpid();
  return info.ssi_code == SI_KERNEL && !hangup;
}

// A signal that has not reached the target is passed on. Either way the target decides, and we wait
// for it, but not for ever.
void Recording::handle_user_signal(const signalfd_siginfo& info) {
  const auto signal = static_cast<int>(info.ssi_signo);
  if (target_running_ && !reached_the_target(info)) kill(target_, signal);
  if (signal == SIGTERM || signal == SIGHUP) {
    give_up_at_ = std::min(give_up_at_, Clock::now() + kTerminateGrace);
    return;
  }
  ++interrupts_;
  if (interrupts_ >= kInterruptsToGiveUp || !target_running_) {
    base::log_warning("interrupted; writing the report without waiting for the program");
    give_up_ = true;
  }
}

void Recording::reap_target() {
  if (!target_running_) return;
  int status = 0;
  const pid_t reaped = waitpid(target_, &status, WNOHANG);
  const bool lost = reaped < 0 && errno == ECHILD;
  if (reaped != target_ && !lost) return;
  target_running_ = false;
  if (lost) {
    base::log_warning("the program's exit status was taken by another tool inside prof");
    return;
  }
  // Ended by us, as was asked for: no failure of the program's.
  const bool ours =
      shutting_down_ && WIFSIGNALED(status) && WTERMSIG(status) == options_.ranges.kill_signal;
  if (ours) return;
  exit_status_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// The last range has been recorded: the session ends, and with it the program unless it is to go
// on.
void Recording::shut_down() {
  shutting_down_ = true;
  if (options_.ranges.kill_signal == 0) {
    give_up_ = true;
    return;
  }
  for (const pid_t pid : processes_of_session(directory_.path()))
    kill(pid, options_.ranges.kill_signal);
  if (target_running_) kill(target_, options_.ranges.kill_signal);
  give_up_at_ = std::min(give_up_at_, Clock::now() + kTerminateGrace);
}

bool Recording::is_finished(TargetServer& server) {
  if (options_.ranges.shutdown && !shutting_down_ && server.captures_are_over()) shut_down();
  if (give_up_) return true;
  const auto now = Clock::now();
  if (now >= give_up_at_) {
    if (target_running_)
      base::log_warning("the program is still running; writing the report without waiting for it");
    return true;
  }
  if (target_running_) return false;
  if (options_.wait == Wait::kPrimary) return true;
  if (server.has_processes()) return false;
  // Children that have not said hello yet, or cannot: they carry the session in their environment.
  if (now - last_scan_ < kMemberScanInterval) return false;
  last_scan_ = now;
  return processes_of_session(directory_.path()).empty();
}

int Recording::finish(TargetServer& server, KernelRecordings& kernel) {
  look_after_directory();
  stacks_.read_jit_dumps(recorder_);
  server.close();
  kernel.system_calls.finish();
  kernel.cpu.finish();
  stacks_.read_jit_dumps(recorder_);
  for (const CapturedStream& stream : streams_.collect())
    recorder_.note(
        {{"type", "stream"}, {"pid", target_}, {"file", stream.file}, {"content", stream.content}});
  recorder_.end(spool::read_clocks(use_tsc_), exit_status_);
  return exit_status_;
}

// The spool doubles as the claim on the output's name.
base::Result<spool::SpoolWriter> claim_output(const std::string& output, bool overwrite) {
  std::error_code error;
  if (!overwrite && std::filesystem::exists(output, error))
    return base::fail(output + " exists; use -f true to replace it, or another name with -o");
  const std::string spool = spool_path(output);
  if (std::filesystem::exists(spool, error))
    return base::fail(spool +
                      " exists: either prof is recording to it, or it was killed and the recording "
                      "can be saved with: prof recover " +
                      spool);
  return spool::SpoolWriter::create(spool);
}

std::string with_pid(std::string text, pid_t pid) {
  for (std::size_t at = text.find("%p"); at != std::string::npos; at = text.find("%p", at))
    text.replace(at, 2, std::to_string(pid));
  return text;
}

void write_opening_notes(SpoolRecorder& recorder, const SessionOptions& options,
                         const TargetProgram& program, double tick_rate) {
  recorder.note({{"type", "session"},
                 {"version", options.version},
                 {"tick_rate", tick_rate},
                 {"capture_ranges", options.ranges.enabled},
                 {"capture_ranges_numbered", options.ranges.numbered},
                 {"system", describe_host()},
                 {"gpus", gpu_locations()},
                 {"capture", options.capture}});
  for (const auto* warnings : {&options.warnings, &program.warnings}) {
    for (const std::string& warning : *warnings) recorder.warn(warning);
  }
}

base::Result<Preload> preload(const SessionOptions& options, const TargetProgram& program) {
  const auto library = find_injection_library();
  if (!library) return tl::make_unexpected(library.error());
  Preload preload{program.preload_first, *library, {}};
  for (std::uint32_t i = 0; i < wire::kLibraries; ++i) {
    if ((options.libraries >> i & 1) == 0) continue;
    const auto tracer = find_library_tracer(*library, i);
    if (!tracer) return tl::make_unexpected(tracer.error());
    preload.behind.push_back(*tracer);
  }
  return preload;
}

}  // namespace

std::string spool_path(const std::string& output) { return output + ".spool"; }

base::Result<RecordingResult> record(const SessionOptions& options) {
  const bool use_tsc = spool::tsc_is_reliable();
  const spool::ClockTriple begin = spool::read_clocks(use_tsc);
  const char* search_path = getenv("PATH");
  const auto program =
      inspect_program(options.command[0], search_path != nullptr ? search_path : "/bin:/usr/bin");
  if (!program) return tl::make_unexpected(program.error());
  const auto preloads = preload(options, *program);
  if (!preloads) return tl::make_unexpected(preloads.error());
  const auto directory = SessionDirectory::create();
  if (!directory) return tl::make_unexpected(directory.error());
  if (!options.python_annotations.empty()) {
    const Status left = directory->leave(wire::kPythonAnnotationsName, options.python_annotations);
    if (!left) return tl::make_unexpected(left.error());
  }
  auto control = ControlServer::create(*directory);
  if (!control) return tl::make_unexpected(control.error());
  const spool::ChunkCounts chunks = affordable_chunks(options.buffer_bytes);
  if (chunks.small == 0)
    return base::fail("the limit of file sizes (ulimit -f) leaves no room for the event buffer");
  auto arena = spool::Arena::create(kInitialChunks, chunks);
  if (!arena) return tl::make_unexpected(arena.error());
  const auto streams = StreamCapture::create(*directory, options.show_output);
  if (!streams) return tl::make_unexpected(streams.error());

  const Signals signals;
  auto target = Launch::prepare(
      {options.command,
       target_environment(options.inherit_environment ? environ : nullptr, options.environment,
                          directory->path(), *preloads, {options.trace_nvtx, options.trace_cuda}),
       signals.original_mask(), signals.original_actions(), streams->stdout_fd(),
       streams->stderr_fd()});
  if (!target) return tl::make_unexpected(target.error());
  raise_limits();

  const std::string output = with_pid(options.output, target->pid());
  auto spool = claim_output(output, options.overwrite);
  if (!spool) return tl::make_unexpected(spool.error());
  SpoolRecorder recorder(std::move(*spool));
  const double tick_rate = use_tsc ? spool::measure_tsc_rate(begin) : 1e9;
  write_opening_notes(recorder, options, *program, tick_rate);

  CallChainContext stacks;
  Recording recording(options, *directory, recorder, stacks, *streams, signals, use_tsc);
  TargetServer server(options, std::move(*control), std::move(*arena), recorder, stacks,
                      recording.loop(), use_tsc, tick_rate);
  KernelRecordings kernel{{options.trace_system_calls, target->pid(), recorder, recording.loop()},
                          {options.cpu, target->pid(), stacks, recorder, recording.loop()}};
  if (const std::uint64_t period = kernel.cpu.timer_period(); period != 0)
    server.sample_processes(stacks, period);
  if (const base::Status left = server.leave_standing_reply(*directory); !left)
    base::log_debug("processes wait for an answer: {}", left.error().message);
  if (Status started = recording.start(*target); !started) {
    unlink(recorder.path().c_str());
    return tl::make_unexpected(started.error());
  }
  recording.serve(server, kernel);
  if (!server.has_met_processes() && program->warnings.empty())
    recorder.warn(
        "nothing was traced: the program never reached prof. It may have been short of descriptors "
        "(ulimit -n), in a sandbox, another user, or without access to the session directory.");
  const int exit_status = recording.finish(server, kernel);
  return RecordingResult{exit_status, output, recorder.path(), recorder.duplicate()};
}

}  // namespace prof::session
