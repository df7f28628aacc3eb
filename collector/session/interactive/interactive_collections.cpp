// Collections: their begin and end, and what is done in between.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "collector/session/control/user_command.hpp"
#include "collector/session/interactive/client_output.hpp"
#include "collector/session/interactive/interactive_session.hpp"
#include "collector/session/launch/limits.hpp"
#include "collector/session/preparation.hpp"
#include "common/base/log.hpp"

namespace prof::session {

using base::Status;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

namespace {

// If the collector is killed, the report ends with the last of these notes.
constexpr auto kClockNoteInterval = std::chrono::milliseconds(100);

}  // namespace

SessionContext InteractiveSession::context() {
  return {options_, *directory_, loop_, recorder_, *chains_, *clock_, true};
}

// Before the first program is launched.
Status InteractiveSession::prepare_session() {
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
    metrics_.emplace(std::move(*listening));
  }
  directory_.emplace(std::move(*directory));
  clock_ = measurement.finish();
  if (metrics_) recorder_.pass_to(metrics_->start(*clock_, options_.version));
  chains_.emplace();
  session_processes_.emplace(directory_->path());
  server_ = std::make_unique<TargetServer>(context(), std::move(*control), std::move(*arena));
  server_->watch_ends();
  for (const base::Status& usable : {loop_.status(), server_->status()})
    if (!usable) {
      const base::Error error = usable.error();
      server_.reset();
      return tl::make_unexpected(error);
    }
  if (const Status published = server_->publish_reply(); !published)
    base::log_debug("processes wait for an answer: {}", published.error().message);
  server_->watch_arrivals();
  // Programs find it by PROF_SESSION.
  static_cast<void>(
      !symlink(socket_.commands_path().c_str(), directory_->file(kCommandSocketName).c_str()));
  return {};
}

// All of the session: also children that have not joined it, and programs that have not called
// exec.
std::vector<pid_t> InteractiveSession::processes() const {
  std::vector<pid_t> found = session_processes_ ? session_processes_->find() : std::vector<pid_t>();
  for (const Program& program : programs_)
    if (!program.has_ended && std::ranges::find(found, program.pid) == found.end())
      found.push_back(program.pid);
  return found;
}

// What begins a capture range has been chosen by prof launch or prof start. Without it everything
// is recorded.
void InteractiveSession::drop_impossible_ranges() {
  CaptureRangeOptions& ranges = options_.ranges;
  const char* why = nullptr;
  if (ranges.by_nvtx && ranges.nvtx_range.empty())
    why = "-c nvtx: prof launch has named no range (-p RANGE); everything is recorded";
  else if (ranges.by_nvtx && !options_.has(wire::kFeatureNvtx))
    why = "-c nvtx: prof launch does not trace NVTX (-t nvtx); everything is recorded";
  else if (ranges.cuda_profiler_api && !options_.has(wire::kFeatureCuda))
    why = "-c cudaProfilerApi: prof launch does not trace CUDA (-t cuda); everything is recorded";
  if (why == nullptr) return;
  options_.warnings.emplace_back(why);
  ranges.enabled = ranges.numbered = ranges.open_ended = false;
  ranges.by_nvtx = ranges.cuda_profiler_api = false;
}

// What prof start --start-on and --stop-on wait for.
void InteractiveSession::expect_triggers() {
  for (const Trigger* trigger : {&options_.time.start_on, &options_.time.stop_on})
    if (trigger->kind == Trigger::Kind::kSignal) {
      signals_.add(trigger->signal);
      trigger_signals_.push_back(trigger->signal);
    }
  collection_->start_file = FileWatch(options_.time.start_on);
  collection_->stop_file = FileWatch(options_.time.stop_on);
}

// A collection begins now, or with the first program.
void InteractiveSession::triggered() {
  collection_->waits_for_trigger = false;
  if (server_ == nullptr || programs_.empty()) return;
  const Status begun = begin_collection();
  if (begun) return;
  const ClientOutput output(error_of({}));
  base::log_error("{}", begun.error().message);
  collection_.reset();
}

Status InteractiveSession::begin_collection() {
  drop_impossible_ranges();
  server_->take_everything();
  const pid_t first = programs_.front().pid;
  collection_->output = with_pid(collection_->output, first);
  auto spool = create_spool(collection_->output, options_.overwrite);
  if (!spool) return tl::make_unexpected(spool.error());
  collection_->name.reset();
  if (options_.flight.is_on()) {
    auto first = begin_flight(std::move(*spool));
    if (!first) return tl::make_unexpected(first.error());
    recorder_.attach(std::move(*first));
  } else {
    recorder_.attach(std::move(*spool));
  }
  write_session_note(recorder_, options_, clock_->ticks_per_second());
  write_warnings(recorder_, options_.warnings, {});
  for (const std::string& warning : launch_warnings_)  // prof launch has printed them
    recorder_.diagnostic(spool::Severity::kWarning, warning);
  recorder_.clock(clock_->read());
  last_clock_ = Clock::now();
  pace_.emplace(options_);
  chains_.emplace();
  if (options_.flight.is_on()) start_flight();
  kernel_.emplace(context(), sampler::running_tasks(processes()));
  server_->begin_collection();
  recorder_.write_definitions();
  if (flight_) recorder_.forget_definitions();  // there is no other collection
  server_->captures().begin_tracing();
  server_->await_tracing([this] { kernel_->drain(true); });
  collection_->has_begun = true;
  collection_->begin = clock_->now();
  server_->captures().wake_processes();
  if (options_.ranges.enabled) return {};
  recorder_.edge(wire::CaptureEvent::kBegin, collection_->begin);
  after_collection_start();
  return {};
}

// Ranges that have begun since the last call.
void InteractiveSession::follow_ranges() {
  for (std::uint32_t& each = collection_->ranges_begun; each < server_->captures().ranges_begun();
       ++each)
    after_collection_start();
}

void InteractiveSession::after_collection_start() const {
  start_user_command({options_.hooks.after_collection_start, kCollectionStarted, name_});
}

// The session's only collection. It begins when the first program is launched.
base::Result<spool::SpoolWriter> InteractiveSession::begin_flight(spool::SpoolWriter marker) {
  auto storage = FlightStorage::create(std::move(marker), options_.flight);
  if (!storage) return tl::make_unexpected(storage.error());
  flight_storage_.emplace(std::move(*storage));
  oom_kills_ = oom_kills();
  return flight_storage_->begin(clock_->now());
}

void InteractiveSession::start_flight() {
  flight_.emplace(context(), std::move(*flight_storage_), collection_->output,
                  FlightRecorder::Sources{.take_everything = [this] { take_all_records(); },
                                          .note_drops = [this] { server_->note_drops(); },
                                          .error = [this] { return error_of({}); }},
                  signals_.original_mask(), hooks_.write_reports);
  flight_storage_.reset();
}

void InteractiveSession::take_all_records() {
  kernel_->drain(true);
  chains_->read_jit_dumps(recorder_);
  server_->take_everything();
}

int InteractiveSession::error_of(const std::vector<Client>& waiting) const {
  if (!waiting.empty()) return waiting.front().error.get();
  for (const Program& program : programs_)
    if (program.error) return program.error.get();
  return -1;
}

void InteractiveSession::collect() {
  follow_ranges();
  kernel_is_idle_ = !kernel_->drain(server_->captures().has_captured());
  const auto now = Clock::now();
  if (now < pace_->due(server_->is_drain_requested())) return;
  chains_->read_jit_dumps(recorder_);
  pace_->drained(server_->poll(), now);
  if (flight_) return flight_->turn();
  if (now - last_clock_ >= kClockNoteInterval) {
    recorder_.clock(clock_->read());
    recorder_.check_file();
    recorder_.secure_space();
    last_clock_ = now;
  }
  if (server_->captures().are_captures_done()) end_collection({}, {});
}

// Takes the last records of a collection. Programs go on meanwhile.
void InteractiveSession::finish_recording() {
  server_->captures().quiet_processes();
  server_->take_gpu_records([this] { kernel_->drain(true); });
  server_->end_collection();
  kernel_->finish(true);
  chains_->read_jit_dumps(recorder_);
  kernel_.reset();
}

void InteractiveSession::drop_collection() {
  if (collection_->has_begun) {
    finish_recording();
    unlink(recorder_.path().c_str());
    recorder_.detach();
    chains_.emplace();
  }
  collection_.reset();
}

void InteractiveSession::end_collection(std::optional<nanoseconds> keep,
                                        std::vector<Client> waiting) {
  if (!collection_->has_begun) {
    collection_.reset();
    for (const Client& client : waiting) reply(client, {{"status", 0}});
    return;
  }
  const ClientOutput output(error_of(waiting));
  follow_ranges();
  const std::uint64_t end = clock_->now();
  if (flight_) flight_->finish_reports();
  if (!options_.ranges.enabled) {
    if (keep) {
      const std::uint64_t kept = clock_->to_ticks(static_cast<std::uint64_t>(keep->count()));
      if (end - collection_->begin > kept) recorder_.edge(wire::CaptureEvent::kBegin, end - kept);
    }
    recorder_.edge(wire::CaptureEvent::kEnd, end);
  }
  finish_recording();
  for (const CapturedStream& stream : read_redirected_streams(*directory_))
    recorder_.note(spool::StreamNote{programs_.front().pid, stream.file, stream.content});
  recorder_.end(clock_->read(), exit_status_);
  auto finished =
      flight_ ? finish_flight()
              : FinishedCollection{recorder_.duplicate(), recorder_.path(),   collection_->output,
                                   options_.overwrite,    collection_->words, options_.hooks};
  flight_.reset();
  recorder_.detach();
  chains_.emplace();
  collection_.reset();
  if (finished) return start_writer(std::move(*finished), std::move(waiting));
  base::log_error("{}", finished.error().message);
  for (const Client& client : waiting) reply(client, {{"status", 1}});
}

base::Result<FinishedCollection> InteractiveSession::finish_flight() {
  const bool have_ended =
      std::ranges::all_of(programs_, [](const Program& each) { return each.has_ended; });
  return flight_->finish(ending_text(have_ended ? exit_status_ : -1, oom_kills_),
                         options_.overwrite);
}

// In another process: the collector goes on, and its memory does not grow.
void InteractiveSession::start_writer(FinishedCollection finished, std::vector<Client> waiting) {
  const int error = error_of(waiting);
  const std::string spool = finished.spool;
  const pid_t pid = start_report_process(
      {.out = waiting.empty() ? error : waiting.front().out.get(),
       .error = error,
       .prepare = [&]() -> base::Result<FinishedCollection> { return std::move(finished); }},
      signals_.original_mask(), hooks_.write_reports);
  if (pid < 0) {
    base::log_error("cannot start a process that writes {}: {}", finished.output, strerror(errno));
    for (const Client& client : waiting) reply(client, {{"status", 1}});
    return;
  }
  writers_.push_back({pid, spool, std::move(waiting)});
}

}  // namespace prof::session
