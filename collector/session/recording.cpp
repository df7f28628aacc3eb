#include "collector/session/recording.hpp"

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>

#include "collector/base/log.hpp"
#include "collector/session/host_info.hpp"
#include "collector/session/kernel/kernel_sources.hpp"
#include "collector/session/launch/injection_library.hpp"
#include "collector/session/launch/launcher.hpp"
#include "collector/session/launch/limits.hpp"
#include "collector/session/launch/target_environment.hpp"
#include "collector/session/launch/target_program.hpp"
#include "collector/session/options/capture_metadata.hpp"
#include "collector/session/recording_loop.hpp"
#include "collector/session/session_context.hpp"
#include "collector/session/stream_capture.hpp"
#include "collector/session/target_server.hpp"
#include "collector/spool/left_over.hpp"
#include "collector/spool/spool_path.hpp"

namespace prof::session {

using base::Status;
using tl::make_unexpected;

namespace {

// Memory of the event buffer at the start: 256 KiB. Zeroing and freeing more takes a good part of
// what a short program costs. A program that needs more adds it (injection/core/record/arena_room).
// If the kernel is too old for that, it has 16 MiB, so that a burst of events finds room.
constexpr spool::ChunkCounts kInitialChunks{32, 2};
constexpr spool::ChunkCounts kInitialChunksOfOldKernels{2048, 128};

// What a session needs before the target is forked.
struct Preparation {
  TargetProgram program;
  Preload preload;
  SessionDirectory directory;
  ControlServer control;
  spool::Arena arena;
  StreamCapture streams;
};

base::Result<Preload> find_preload(const SessionOptions& options, const TargetProgram& program) {
  const auto library = find_injection_library();
  if (!library) return make_unexpected(library.error());
  Preload preload{program.preload_first, *library, {}};
  for (std::uint32_t i = 0; i < wire::kLibraries; ++i) {
    if (!options.has(wire::library_feature(i))) continue;
    const auto tracer = find_library_tracer(*library, i);
    if (!tracer) return make_unexpected(tracer.error());
    preload.after.push_back(*tracer);
  }
  return preload;
}

base::Result<SessionDirectory> create_directory(const SessionOptions& options) {
  auto directory = SessionDirectory::create();
  if (!directory || options.python.annotations.empty()) return directory;
  const Status written =
      directory->write_file(wire::kPythonAnnotationsName, options.python.annotations);
  if (!written) return make_unexpected(written.error());
  return directory;
}

base::Result<spool::Arena> create_arena(const SessionOptions& options) {
  const spool::ChunkCounts chunks = affordable_chunks(options.buffer_bytes);
  if (chunks.small == 0)
    return base::fail("the limit of file sizes (ulimit -f) leaves no room for the event buffer");
  return spool::Arena::create(
      spool::threads_can_add_memory() ? kInitialChunks : kInitialChunksOfOldKernels, chunks);
}

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

std::string with_pid(std::string text, pid_t pid) {
  for (std::size_t at = text.find("%p"); at != std::string::npos; at = text.find("%p", at))
    text.replace(at, 2, std::to_string(pid));
  return text;
}

// Creates the spool. It also reserves the name of the output.
base::Result<spool::SpoolWriter> create_spool(const std::string& output, bool overwrite) {
  std::error_code error;
  if (!overwrite && std::filesystem::exists(output, error))
    return base::fail(output + " exists; use -f true to replace it, or another name with -o");
  const std::string spool = spool::spool_path(output);
  if (std::filesystem::exists(spool, error))
    return base::fail(spool +
                      " exists: either prof is recording to it, or it was killed and the recording "
                      "can be saved with: " +
                      spool::recovery_command(spool));
  return spool::SpoolWriter::create(spool);
}

void write_warnings(SpoolRecorder& recorder, const SessionOptions& options,
                    const TargetProgram& program) {
  for (const auto* warnings : {&options.warnings, &program.warnings}) {
    for (const std::string& warning : *warnings) recorder.warn(warning);
  }
}

void write_session_note(SpoolRecorder& recorder, const SessionOptions& options, double tick_rate) {
  recorder.note(spool::SessionNote{.version = options.version,
                                   .tick_rate = tick_rate,
                                   .capture_ranges = options.ranges.enabled,
                                   .capture_ranges_numbered = options.ranges.numbered,
                                   .system = describe_host(),
                                   .gpus = gpu_locations(),
                                   .capture = capture_metadata(options)});
}

void write_streams(SpoolRecorder& recorder, const StreamCapture& streams, pid_t target_pid) {
  for (const CapturedStream& stream : streams.collect())
    recorder.note(spool::StreamNote{target_pid, stream.file, stream.content});
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
  KernelSources kernel(session, target.pid());
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
  write_warnings(recorder, options, prepared->program);
  const auto exit_status = run_session(options, clock, *prepared, *signals, *target, recorder);
  if (!exit_status) return make_unexpected(exit_status.error());
  return RecordingResult{*exit_status, output, recorder.path(), recorder.duplicate(),
                         std::move(signals)};
}

}  // namespace prof::session
