#include "collector/session/recording.hpp"

#include <errno.h>
#include <signal.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "collector/ingest/clock_model.hpp"
#include "collector/session/host_info.hpp"
#include "collector/session/injection_library.hpp"
#include "collector/session/launcher.hpp"
#include "collector/session/live_processes.hpp"
#include "collector/session/session_directory.hpp"
#include "collector/session/signals.hpp"
#include "collector/session/stream_capture.hpp"
#include "collector/session/system_call_recording.hpp"
#include "collector/session/target_program.hpp"
#include "collector/session/target_server.hpp"

namespace prof::session {

using base::Status;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

namespace {

constexpr std::uint32_t kInitialChunks = 256;  // 16 MiB
constexpr auto kPollInterval = milliseconds(10);
constexpr auto kClockInterval = milliseconds(1000);
constexpr auto kMemberScanInterval = milliseconds(100);
constexpr auto kTerminateGrace = milliseconds(5000);
constexpr int kInterruptsToGiveUp = 3;

// For ourselves, after the target has been forked with what we were given.
void raise_limits() {
  // A process tree can be wide: one pidfd and, for a moment, one connection each.
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  // Where we may: a target with hundreds of busy threads would otherwise leave us, who need little
  // but need it now, one share in hundreds, and fill the buffer meanwhile.
  setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) - 10);
}

// Keeps the buffer below an eighth of what the machine has to give.
std::uint32_t affordable_chunks() {
  const auto pages = static_cast<std::uint64_t>(std::max(0L, sysconf(_SC_AVPHYS_PAGES)));
  const std::uint64_t bytes = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) / 8;
  const auto chunks = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(bytes / wire::kChunkBytes, wire::kMaxChunks));
  return std::max(chunks, 64U);
}

// The target's life: let go, waited for, signalled.
class Recording {
 public:
  Recording(const SessionOptions& options, const std::string& directory, Recorder& recorder,
            const StreamCapture& streams, const Signals& signals, bool use_tsc)
      : options_(options),
        directory_(directory),
        recorder_(recorder),
        streams_(streams),
        signals_(signals),
        use_tsc_(use_tsc) {
    loop_.watch(signals_.fd());
  }

  const EventLoop& loop() const { return loop_; }

  Status start(Launch& target);
  void serve(TargetServer& server, SystemCallRecording& system_calls);
  // Takes what is left and closes the books; returns prof's exit status.
  int finish(TargetServer& server, SystemCallRecording& system_calls);

 private:
  void read_clocks();
  void handle_signals();
  void handle_user_signal(const signalfd_siginfo& info);
  void reap_target();
  bool is_finished(const TargetServer& server);
  void shut_down();

  const SessionOptions& options_;
  const std::string& directory_;
  Recorder& recorder_;
  const StreamCapture& streams_;
  const Signals& signals_;
  bool use_tsc_;
  EventLoop loop_;

  pid_t target_ = 0;
  bool target_running_ = false;
  int exit_status_ = 0;
  int interrupts_ = 0;
  bool shutting_down_ = false;  // all capture ranges are recorded
  bool give_up_ = false;        // finish without waiting for anybody
  Clock::time_point give_up_at_ = Clock::time_point::max();
  Clock::time_point last_clock_{};
  Clock::time_point last_scan_{};
};

void Recording::read_clocks() {
  recorder_.clock(ingest::read_clocks(use_tsc_));
  last_clock_ = Clock::now();
}

Status Recording::start(Launch& target) {
  read_clocks();
  target_ = target.pid();
  Status gone = target.go();
  target_running_ = gone.has_value();
  return gone;
}

void Recording::serve(TargetServer& server, SystemCallRecording& system_calls) {
  Clock::time_point next_drain = Clock::now();
  while (!is_finished(server)) {
    loop_.wait(kPollInterval, [&](int fd) {
      if (!server.handle(fd) && fd == signals_.fd()) handle_signals();
    });
    // Unasked too: a thread that another tool's preload has brought into prof can take the signal.
    reap_target();
    server.poll();
    system_calls.drain();
    const auto now = Clock::now();
    if (now < next_drain && !server.is_urgent()) continue;
    server.drain();
    next_drain = now + kPollInterval;
    if (now - last_clock_ >= kClockInterval) read_clocks();
  }
}

void Recording::handle_signals() {
  signalfd_siginfo info{};
  while (read(signals_.fd(), &info, sizeof info) == sizeof info) {
    if (info.ssi_signo == SIGCHLD)
      reap_target();
    else
      handle_user_signal(info);
  }
}

// A signal from the terminal has reached the target too; one sent to us alone is passed on. Either
// way the target decides, and we wait for it, but not for ever.
void Recording::handle_user_signal(const signalfd_siginfo& info) {
  const auto signal = static_cast<int>(info.ssi_signo);
  const bool from_terminal = info.ssi_code == SI_KERNEL;
  if (target_running_ && !from_terminal) kill(target_, signal);
  if (signal == SIGTERM || signal == SIGHUP) {
    give_up_at_ = std::min(give_up_at_, Clock::now() + kTerminateGrace);
    return;
  }
  ++interrupts_;
  if (interrupts_ >= kInterruptsToGiveUp || !target_running_) {
    spdlog::warn("interrupted; writing the report without waiting for the program");
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
    spdlog::warn("the program's exit status was taken by another tool inside prof");
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
  for (const pid_t pid : processes_of_session(directory_)) kill(pid, options_.ranges.kill_signal);
  if (target_running_) kill(target_, options_.ranges.kill_signal);
  give_up_at_ = std::min(give_up_at_, Clock::now() + kTerminateGrace);
}

bool Recording::is_finished(const TargetServer& server) {
  if (options_.ranges.shutdown && !shutting_down_ && server.captures_are_over()) shut_down();
  if (give_up_) return true;
  const auto now = Clock::now();
  if (now >= give_up_at_) {
    if (target_running_)
      spdlog::warn("the program is still running; writing the report without waiting for it");
    return true;
  }
  if (target_running_) return false;
  if (options_.wait == Wait::kPrimary) return true;
  if (server.has_processes()) return false;
  // Children that have not said hello yet, or cannot: they carry the session in their environment.
  if (now - last_scan_ < kMemberScanInterval) return false;
  last_scan_ = now;
  return processes_of_session(directory_).empty();
}

int Recording::finish(TargetServer& server, SystemCallRecording& system_calls) {
  server.close();
  system_calls.finish();
  for (const CapturedStream& stream : streams_.collect())
    recorder_.note(
        {{"type", "stream"}, {"pid", target_}, {"file", stream.file}, {"content", stream.content}});
  read_clocks();
  recorder_.note({{"type", "end"}, {"exit_status", exit_status_}});
  return exit_status_;
}

// The spool doubles as the claim on the output's name.
base::Result<ingest::SpoolWriter> claim_output(const std::string& output, bool overwrite) {
  std::error_code error;
  if (!overwrite && std::filesystem::exists(output, error))
    return base::fail(output + " exists; use -f true to replace it, or another name with -o");
  const std::string spool = spool_path(output);
  if (std::filesystem::exists(spool, error))
    return base::fail(spool +
                      " exists: either prof is recording to it, or it was killed and the recording "
                      "can be saved with: prof recover " +
                      spool);
  return ingest::SpoolWriter::create(spool);
}

std::string with_pid(std::string text, pid_t pid) {
  for (std::size_t at = text.find("%p"); at != std::string::npos; at = text.find("%p", at))
    text.replace(at, 2, std::to_string(pid));
  return text;
}

void write_opening_notes(Recorder& recorder, const SessionOptions& options,
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
    for (const std::string& warning : *warnings) {
      spdlog::warn("{}", warning);
      recorder.diagnostic(2, warning);
    }
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
  const char* search_path = getenv("PATH");
  const auto program =
      inspect_program(options.command[0], search_path != nullptr ? search_path : "/bin:/usr/bin");
  if (!program) return tl::make_unexpected(program.error());
  const auto preloads = preload(options, *program);
  if (!preloads) return tl::make_unexpected(preloads.error());
  const auto directory = SessionDirectory::create();
  if (!directory) return tl::make_unexpected(directory.error());
  auto control = ControlServer::create(*directory);
  if (!control) return tl::make_unexpected(control.error());
  const std::uint32_t chunks = affordable_chunks();
  auto arena = ingest::Arena::create(std::min(kInitialChunks, chunks), chunks);
  if (!arena) return tl::make_unexpected(arena.error());
  const auto streams = StreamCapture::create(*directory, options.show_output);
  if (!streams) return tl::make_unexpected(streams.error());

  const Signals signals;
  auto target = Launch::prepare(
      {options.command,
       target_environment(options.inherit_environment ? environ : nullptr, options.environment,
                          directory->path(), *preloads, {options.trace_nvtx, options.trace_cuda}),
       signals.original_mask(), signals.original_child_action(), streams->stdout_fd(),
       streams->stderr_fd()});
  if (!target) return tl::make_unexpected(target.error());
  raise_limits();

  const std::string output = with_pid(options.output, target->pid());
  auto spool = claim_output(output, options.overwrite);
  if (!spool) return tl::make_unexpected(spool.error());
  Recorder recorder(std::move(*spool));
  const bool use_tsc = ingest::tsc_is_reliable();
  const double tick_rate = use_tsc ? ingest::measure_tsc_rate() : 1e9;
  write_opening_notes(recorder, options, *program, tick_rate);

  Recording recording(options, directory->path(), recorder, *streams, signals, use_tsc);
  TargetServer server(options, std::move(*control), std::move(*arena), recorder, recording.loop(),
                      use_tsc, tick_rate);
  SystemCallRecording system_calls(options.trace_system_calls, target->pid(), recorder,
                                   recording.loop());
  if (Status started = recording.start(*target); !started) {
    unlink(recorder.path().c_str());
    return tl::make_unexpected(started.error());
  }
  recording.serve(server, system_calls);
  return RecordingResult{recording.finish(server, system_calls), output, recorder.path()};
}

}  // namespace prof::session
