#include "collector/session/interactive/collection_recorder.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "collector/session/control/command_socket.hpp"
#include "collector/session/launch/limits.hpp"
#include "collector/session/preparation.hpp"
#include "common/base/log.hpp"

namespace prof::session {

using base::Status;
using std::chrono::milliseconds;

namespace {

// Interval between clock notes. If the collector is killed, the report ends with the last of them.
constexpr auto kClockNoteInterval = std::chrono::milliseconds(100);
constexpr int kNoSignals = -1;  // the session's signals wait until the collection has begun

}  // namespace

CollectionRecorder::CollectionRecorder(const std::string& name, const SessionOptions& options,
                                       const EventLoop& loop, const LaunchedPrograms& programs,
                                       const sigset_t& signals, const WriteReports& write_reports)
    : name_(name),
      options_(options),
      loop_(loop),
      programs_(programs),
      signals_(signals),
      write_reports_(write_reports) {}

SessionContext CollectionRecorder::context() {
  return {options_, *directory_, loop_, recorder_, *chains_, *clock_, true};
}

Status CollectionRecorder::prepare(const std::string& commands) {
  const spool::ClockMeasurement measurement;
  raise_limits();
  auto directory = create_directory(options_);
  if (!directory) return tl::make_unexpected(directory.error());
  auto control = ControlServer::create(*directory);
  if (!control) return tl::make_unexpected(control.error());
  auto arena = create_arena(options_);
  if (!arena) return tl::make_unexpected(arena.error());
  if (options_.metrics_endpoint) {
    auto listening = prometheus::MetricsService::listen(*options_.metrics_endpoint);
    if (!listening) return tl::make_unexpected(listening.error());
    endpoint_.emplace(std::move(*listening));
  }
  directory_.emplace(std::move(*directory));
  clock_ = measurement.finish();
  if (endpoint_) recorder_.pass_to(endpoint_->start(*clock_, options_.version));
  chains_.emplace();
  processes_.emplace(directory_->path());
  server_ = std::make_unique<TargetServer>(context(), std::move(*control), std::move(*arena));
  server_->watch_ends();
  for (const Status& usable : {loop_.status(), server_->status()})
    if (!usable) {
      server_.reset();
      return usable;
    }
  if (const Status published = server_->publish_reply(); !published)
    base::log_debug("processes wait for an answer: {}", published.error().message);
  server_->watch_arrivals();
  // Programs find the socket by PROF_SESSION.
  static_cast<void>(!symlink(commands.c_str(), directory_->file(kCommandSocketName).c_str()));
  return {};
}

std::vector<pid_t> CollectionRecorder::processes() const {
  std::vector<pid_t> found = processes_ ? processes_->find() : std::vector<pid_t>();
  for (const pid_t program : programs_.pids())
    if (std::ranges::find(found, program) == found.end()) found.push_back(program);
  return found;
}

Status CollectionRecorder::begin(const std::string& output,
                                 const std::vector<std::string>& launch_warnings) {
  server_->take_everything();
  auto spool = create_spool(output, options_.overwrite);
  if (!spool) return tl::make_unexpected(spool.error());
  if (options_.flight.is_on()) {
    auto first = begin_flight(std::move(*spool));
    if (!first) return tl::make_unexpected(first.error());
    recorder_.attach(std::move(*first));
  } else {
    recorder_.attach(std::move(*spool));
  }
  write_session_note(recorder_, options_, clock_->ticks_per_second());
  write_warnings(recorder_, options_.warnings, {});
  for (const std::string& warning : launch_warnings)
    recorder_.diagnostic(spool::Severity::kWarning, warning);
  recorder_.clock(clock_->read());
  last_clock_ = Clock::now();
  pace_.emplace(options_);
  ranges_begun_ = 0;
  chains_.emplace();
  if (options_.flight.is_on()) start_flight(output);
  metrics_.emplace(context());
  if (Status ready = metrics_->wait_until_ready(kNoSignals); !ready) {
    metrics_.reset();
    forget_recording();
    return ready;
  }
  kernel_.emplace(context(), sampler::running_tasks(processes()));
  server_->begin_collection();
  recorder_.write_definitions();
  if (flight_) recorder_.forget_definitions();  // no other collection follows
  server_->captures().begin_tracing();
  server_->await_tracing([this] { drain_sources(true); });
  begin_ = clock_->now();
  server_->captures().wake_processes();
  if (options_.ranges.enabled) return {};
  recorder_.edge(wire::CaptureEvent::kBegin, begin_);
  after_collection_start();
  return {};
}

// Begins the session's only collection, when the first program is launched.
base::Result<spool::SpoolWriter> CollectionRecorder::begin_flight(spool::SpoolWriter marker) {
  auto storage = FlightStorage::create(std::move(marker), options_.flight);
  if (!storage) return tl::make_unexpected(storage.error());
  flight_storage_.emplace(std::move(*storage));
  oom_kills_ = oom_kills();
  return flight_storage_->begin(clock_->now());
}

void CollectionRecorder::start_flight(const std::string& output) {
  flight_.emplace(context(), std::move(*flight_storage_), output,
                  FlightRecorder::Sources{.take_everything = [this] { take_all_records(); },
                                          .note_drops = [this] { server_->note_drops(); },
                                          .error = [this] { return programs_.error(); }},
                  signals_, write_reports_);
  flight_storage_.reset();
}

// Takes the records of the kernel and of the metrics. Returns whether there were any of the CPUs.
bool CollectionRecorder::drain_sources(bool in_range) {
  metrics_->drain(in_range);
  return kernel_->drain(in_range);
}

void CollectionRecorder::take_all_records() {
  drain_sources(true);
  chains_->read_jit_dumps(recorder_);
  server_->take_everything();
}

// Handles ranges that have begun since the last call.
void CollectionRecorder::follow_ranges() {
  for (const std::uint32_t begun = server_->captures().ranges_begun(); ranges_begun_ < begun;
       ++ranges_begun_)
    after_collection_start();
}

void CollectionRecorder::after_collection_start() {
  started_hooks_.start(
      {options_.hooks.after_collection_start, kCollectionStarted, name_, options_.hooks.timeout});
}

void CollectionRecorder::report_failed_hooks() {
  for (const std::string& failure : started_hooks_.take_failures())
    recorder_.diagnostic(spool::Severity::kWarning, failure);
}

bool CollectionRecorder::record() {
  follow_ranges();
  kernel_is_idle_ = !drain_sources(server_->captures().has_captured());
  const auto now = Clock::now();
  if (now < pace_->due(server_->is_drain_requested())) return false;
  chains_->read_jit_dumps(recorder_);
  pace_->drained(server_->poll(), now);
  if (flight_) {
    flight_->turn();
    return false;
  }
  if (now - last_clock_ >= kClockNoteInterval) {
    recorder_.clock(clock_->read());
    recorder_.check_file();
    report_failed_hooks();
    recorder_.secure_space();
    last_clock_ = now;
  }
  return server_->captures().are_captures_done();
}

milliseconds CollectionRecorder::longest_wait() const {
  const auto left =
      std::chrono::ceil<milliseconds>(pace_->due(server_->is_drain_requested()) - Clock::now());
  return std::clamp(left, milliseconds(0),
                    kernel_is_idle_ ? pace_->idle_interval() : DrainPace::kPollInterval);
}

base::Result<FinishedCollection> CollectionRecorder::end(
    const std::string& output, const Words& words, std::optional<std::chrono::nanoseconds> keep) {
  follow_ranges();
  const std::uint64_t now = clock_->now();
  if (flight_) flight_->finish_reports();
  if (!options_.ranges.enabled) write_edges(now, keep);
  finish_recording();
  for (const CapturedStream& stream : read_redirected_streams(*directory_))
    recorder_.note(spool::StreamNote{programs_.first(), stream.file, stream.content});
  report_failed_hooks();
  recorder_.end(clock_->read(), programs_.exit_status());
  auto finished =
      flight_ ? flight_->finish(
                    ending_text(programs_.have_ended() ? programs_.exit_status() : -1, oom_kills_),
                    options_.overwrite)
              : FinishedCollection{.file = recorder_.duplicate(),
                                   .spool = recorder_.path(),
                                   .output = output,
                                   .overwrite = options_.overwrite,
                                   .words = words,
                                   .hooks = options_.hooks};
  flight_.reset();
  recorder_.detach();
  chains_.emplace();
  return finished;
}

void CollectionRecorder::write_edges(std::uint64_t end,
                                     std::optional<std::chrono::nanoseconds> keep) {
  if (keep) {
    const std::uint64_t kept = clock_->to_ticks(static_cast<std::uint64_t>(keep->count()));
    if (end - begin_ > kept) recorder_.edge(wire::CaptureEvent::kBegin, end - kept);
  }
  recorder_.edge(wire::CaptureEvent::kEnd, end);
}

// Takes the last records of a collection.
void CollectionRecorder::finish_recording() {
  server_->captures().quiet_processes();
  server_->take_gpu_records([this] { drain_sources(true); });
  server_->end_collection();
  kernel_->finish(true);
  metrics_->finish(true);
  chains_->read_jit_dumps(recorder_);
  kernel_.reset();
  metrics_.reset();
}

void CollectionRecorder::drop() {
  finish_recording();
  forget_recording();
}

void CollectionRecorder::forget_recording() {
  flight_.reset();
  unlink(recorder_.path().c_str());
  recorder_.detach();
  chains_.emplace();
}

}  // namespace prof::session
