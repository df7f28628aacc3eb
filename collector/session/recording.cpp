#include "collector/session/recording.hpp"

#include <stdlib.h>
#include <unistd.h>

#include "collector/base/log.hpp"
#include "collector/session/kernel/kernel_sources.hpp"
#include "collector/session/launch/launcher.hpp"
#include "collector/session/launch/limits.hpp"
#include "collector/session/launch/target_environment.hpp"
#include "collector/session/launch/target_program.hpp"
#include "collector/session/preparation.hpp"
#include "collector/session/recording_loop.hpp"
#include "collector/session/session_context.hpp"
#include "collector/session/stream_capture.hpp"
#include "collector/session/target_server.hpp"

namespace prof::session {

using base::Status;
using tl::make_unexpected;

namespace {

// What a session needs before the target is forked.
struct Preparation {
  TargetProgram program;
  Preload preload;
  SessionDirectory directory;
  ControlServer control;
  spool::Arena arena;
  StreamCapture streams;
};

base::Result<Preparation> prepare(const SessionOptions& options) {
  const char* search_path = getenv("PATH");
  auto program =
      inspect_program(options.command[0], search_path != nullptr ? search_path : "/bin:/usr/bin");
  if (!program) return make_unexpected(program.error());
  auto preload = find_preload(options, *program);
  if (!preload) return make_unexpected(preload.error());
  auto directory = create_directory(options);
  if (!directory) return make_unexpected(directory.error());
  auto control = ControlServer::create(*directory);
  if (!control) return make_unexpected(control.error());
  auto arena = create_arena(options);
  if (!arena) return make_unexpected(arena.error());
  auto streams = StreamCapture::create(*directory, options.show_output);
  if (!streams) return make_unexpected(streams.error());
  return Preparation{std::move(*program), std::move(*preload), std::move(*directory),
                     std::move(*control), std::move(*arena),   std::move(*streams)};
}

base::Result<Launch> fork_target(const SessionOptions& options, const Preparation& prepared,
                                 const Signals& signals) {
  return Launch::prepare(
      {options.command,
       target_environment(options.inherit_environment ? environ : nullptr, options.environment,
                          prepared.directory.path(), prepared.preload,
                          {options.has(wire::kFeatureNvtx), options.has(wire::kFeatureCuda)}),
       signals.original_mask(), signals.original_actions(), prepared.streams.stdout_fd(),
       prepared.streams.stderr_fd()});
}

// Runs the forked target until it and its children have ended. Returns the exit status of prof.
base::Result<int> run_session(const SessionOptions& options, const spool::SessionClock& clock,
                              Preparation& prepared, const Signals& signals, Launch& target,
                              SpoolRecorder& recorder) {
  const EventLoop events;
  CallChainContext chains;
  const SessionContext session{
      options, prepared.directory, events, recorder, chains, clock, prepared.program.loads_library};
  TargetServer server(session, std::move(prepared.control), std::move(prepared.arena));
  KernelSources kernel(session, sampler::waiting_process(target.pid()));
  if (const std::uint64_t period = kernel.cpu.timer_period(); period != 0)
    server.sample_processes(period);
  if (const Status published = server.publish_reply(); !published)
    base::log_debug("processes wait for an answer: {}", published.error().message);
  MetricSources metrics(session);
  RecordingLoop loop(session, signals, server, kernel, metrics);
  const auto describe_session = [&] {
    write_session_note(recorder, options, clock.ticks_per_second());
  };
  if (const Status started = loop.start(target, describe_session); !started) {
    unlink(recorder.path().c_str());
    return make_unexpected(started.error());
  }
  loop.run();
  if (!server.has_joined_any() && prepared.program.warnings.empty())
    recorder.warn(
        "nothing was traced: the program never reached prof. It may have been short of descriptors "
        "(ulimit -n), in a sandbox, another user, or without access to the session directory.");
  const int exit_status = loop.finish();
  write_streams(recorder, prepared.streams, target.pid());
  recorder.end(clock.read(), exit_status);
  return exit_status;
}

}  // namespace

base::Result<RecordingResult> record(const SessionOptions& options) {
  const spool::ClockMeasurement measurement;
  // First: as long as there is a session directory, no signal ends prof at once.
  auto signals = std::make_unique<Signals>();
  auto prepared = prepare(options);
  if (!prepared) return make_unexpected(prepared.error());
  auto target = fork_target(options, *prepared, *signals);
  if (!target) return make_unexpected(target.error());
  raise_limits();
  const std::string output = with_pid(options.output, target->pid());
  auto spool = create_spool(output, options.overwrite);
  if (!spool) return make_unexpected(spool.error());
  SpoolRecorder recorder(std::move(*spool));
  const spool::SessionClock clock = measurement.finish();
  write_warnings(recorder, options.warnings, prepared->program.warnings);
  const auto exit_status = run_session(options, clock, *prepared, *signals, *target, recorder);
  if (!exit_status) return make_unexpected(exit_status.error());
  return RecordingResult{*exit_status, output, recorder.path(), recorder.duplicate(),
                         std::move(signals)};
}

}  // namespace prof::session
