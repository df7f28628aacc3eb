#include "collector/session/recording.hpp"

#include <stdlib.h>
#include <unistd.h>

#include <optional>
#include <utility>

#include "collector/prometheus/metrics_service.hpp"
#include "collector/session/control/job_control.hpp"
#include "collector/session/flight/flight_recorder.hpp"
#include "collector/session/flight/snapshot_server.hpp"
#include "collector/session/kernel/kernel_sources.hpp"
#include "collector/session/launch/counter_claim.hpp"
#include "collector/session/launch/launcher.hpp"
#include "collector/session/launch/limits.hpp"
#include "collector/session/launch/target_environment.hpp"
#include "collector/session/launch/target_program.hpp"
#include "collector/session/preparation.hpp"
#include "collector/session/recording_loop.hpp"
#include "collector/session/session_context.hpp"
#include "collector/session/stream_capture.hpp"
#include "collector/session/targets/target_server.hpp"
#include "common/base/log.hpp"

namespace prof::session {

using base::Status;
using tl::make_unexpected;

namespace {

// The objects that a session needs before the target is forked.
struct Preparation {
  TargetProgram program;
  Preload preload;
  SessionDirectory directory;
  ControlServer control;
  spool::Arena arena;
  StreamCapture streams;
  std::optional<prometheus::MetricsService> metrics;
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
  std::optional<prometheus::MetricsService> metrics;
  if (options.metrics_endpoint) {
    auto listening = prometheus::MetricsService::listen(*options.metrics_endpoint);
    if (!listening) return make_unexpected(listening.error());
    metrics = std::move(*listening);
  }
  return Preparation{std::move(*program), std::move(*preload), std::move(*directory),
                     std::move(*control), std::move(*arena),   std::move(*streams),
                     std::move(metrics)};
}

base::Result<Launch> fork_target(const SessionOptions& options, const Preparation& prepared,
                                 const Signals& signals) {
  return Launch::prepare(
      {prepared.program.path, options.command,
       target_environment(options.inherit_environment ? environ : nullptr, options.environment,
                          prepared.directory.path(), prepared.preload,
                          {options.has(wire::kFeatureNvtx), options.has(wire::kFeatureCuda)}),
       signals.original_mask(), signals.original_actions(), prepared.streams.stdout_fd(),
       prepared.streams.stderr_fd()});
}

// The parts that make a recording a flight recorder. Not set: the recording keeps everything.
struct Flight {
  FlightStorage storage;
  SessionSocket socket;
  std::string name;
};

base::Result<Flight> begin_flight(const SessionOptions& options, spool::SpoolWriter marker) {
  const std::string name = session_name(options.flight);
  auto storage = FlightStorage::create(std::move(marker), options.flight);
  if (!storage) return make_unexpected(storage.error());
  auto socket = SessionSocket::create(name);
  if (!socket) return make_unexpected(socket.error());
  return Flight{std::move(*storage), std::move(*socket), name};
}

// The parts of a running flight recorder.
class FlightService {
 public:
  FlightService(const SessionContext& session, Flight flight, const std::string& output,
                RecordingLoop& loop, TargetServer& server, const Signals& signals,
                WriteReports write_reports)
      : recorder_(session, std::move(flight.storage), output,
                  {.take_everything = [&loop] { loop.take_everything(); },
                   .note_drops = [&server] { server.note_drops(); },
                   .error = [] { return -1; }},
                  signals.original_mask(), std::move(write_reports)),
        requests_(std::move(flight.socket), flight.name, session.loop, recorder_, output) {
    loop.use_flight_recorder(&recorder_, [this](int fd) { return requests_.handle(fd); });
  }
  FlightRecorder& recorder() { return recorder_; }

 private:
  FlightRecorder recorder_;
  SnapshotServer requests_;
};

// The results of a session.
struct SessionEnd {
  int exit_status = 0;
  std::optional<FinishedCollection> flight;  // for a flight recorder: its last seconds
};

// Runs the forked target until it and its children have ended.
base::Result<SessionEnd> run_session(const SessionOptions& options,
                                     const spool::SessionClock& clock, Preparation& prepared,
                                     Signals& signals, Launch& target, SpoolRecorder& recorder,
                                     std::optional<Flight> flight, const std::string& output,
                                     WriteReports write_reports,
                                     const std::function<void()>& meanwhile) {
  const EventLoop events;
  CallChainContext chains;
  const SessionContext session{
      options, prepared.directory, events, recorder, chains, clock, prepared.program.loads_library};
  const std::uint64_t kills_before = flight ? oom_kills() : 0;
  TargetServer server(session, std::move(prepared.control), std::move(prepared.arena));
  KernelSources kernel(session, sampler::waiting_process(target.pid()));
  if (const std::uint64_t period = kernel.cpu.timer_period(); period != 0)
    server.sample_processes(period);
  if (const Status published = server.publish_reply(); !published)
    base::log_debug("processes wait for an answer: {}", published.error().message);
  MetricSources metrics(session);
  RecordingLoop loop(session, signals, server, kernel, metrics);
  for (const Status& usable : {events.status(), server.status()})
    if (!usable) {
      unlink(recorder.path().c_str());
      return make_unexpected(usable.error());
    }
  std::optional<FlightService> service;
  if (flight)
    service.emplace(session, std::move(*flight), output, loop, server, signals,
                    std::move(write_reports));
  const auto describe_session = [&] {
    write_session_note(recorder, options, clock.ticks_per_second());
    meanwhile();
  };
  if (const Status started = loop.start(target, describe_session); !started) {
    unlink(recorder.path().c_str());
    return make_unexpected(started.error());
  }
  loop.run();
  if (service) service->recorder().finish_reports();
  const int exit_status = loop.finish();
  // Only now it is certain that nothing was traced: the end of the program may be seen before its
  // arrival.
  if (!server.has_joined_any() && prepared.program.warnings.empty())
    recorder.warn(
        "nothing was traced: the program never reached prof. It may have been short of descriptors "
        "(ulimit -n), in a sandbox, another user, or without access to the session directory.");
  write_streams(recorder, prepared.streams, target.pid());
  recorder.end(clock.read(), exit_status);
  if (!service) return SessionEnd{exit_status, {}};
  auto finished = service->recorder().finish(
      ending_text(loop.has_target_ended() ? exit_status : -1, kills_before), options.overwrite);
  if (!finished) return make_unexpected(finished.error());
  return SessionEnd{exit_status, std::move(*finished)};
}

}  // namespace

base::Result<RecordingResult> record(const SessionOptions& options, WriteReports write_reports,
                                     const std::function<void()>& meanwhile) {
  const spool::ClockMeasurement measurement;
  // Signals are handled first: as long as a session directory exists, no signal ends prof at once.
  auto signals = std::make_unique<Signals>(options.flight.is_on());
  for (const Trigger* trigger : {&options.time.start_on, &options.time.stop_on})
    if (trigger->kind == Trigger::Kind::kSignal) signals->add(trigger->signal);
  if (const Status usable = signals->status(); !usable) return make_unexpected(usable.error());
  auto prepared = prepare(options);
  if (!prepared) return make_unexpected(prepared.error());
  auto target = fork_target(options, *prepared, *signals);
  if (!target) return make_unexpected(target.error());
  const auto counters = CounterClaim::make(options);
  if (!counters) return make_unexpected(counters.error());
  raise_limits();
  const std::string output = with_pid(options.output, target->pid());
  if (const std::string& job = options.time.job; !job.empty())
    if (const Status made = create_job_folder(job); !made) return make_unexpected(made.error());
  auto spool = create_spool(output, options.overwrite);
  if (!spool) return make_unexpected(spool.error());
  const spool::SessionClock clock = measurement.finish();
  std::optional<Flight> flight;
  SpoolRecorder recorder = SpoolRecorder::of_one_recording();
  if (options.flight.is_on()) {
    auto begun = begin_flight(options, std::move(*spool));
    if (!begun) return make_unexpected(begun.error());
    auto first = begun->storage.begin(clock.now());
    if (!first) return make_unexpected(first.error());
    flight.emplace(std::move(*begun));
    recorder.attach(std::move(*first));
  } else {
    recorder.attach(std::move(*spool));
  }
  if (prepared->metrics) recorder.pass_to(prepared->metrics->start(clock, options.version));
  write_warnings(recorder, options.warnings, prepared->program.warnings);
  auto end = run_session(options, clock, *prepared, *signals, *target, recorder, std::move(flight),
                         output, std::move(write_reports), meanwhile);
  if (!end) return make_unexpected(end.error());
  if (end->flight)
    return RecordingResult{end->exit_status,   output,
                           end->flight->spool, std::move(end->flight->file),
                           std::nullopt,       std::move(signals)};
  return RecordingResult{end->exit_status,   output,
                         recorder.path(),    recorder.duplicate(),
                         recorder.session(), std::move(signals)};
}

}  // namespace prof::session
