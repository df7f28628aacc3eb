// Collections: their begin and end, and what is done in between.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "collector/base/log.hpp"
#include "collector/base/proc_ids.hpp"
#include "collector/session/interactive/client_output.hpp"
#include "collector/session/interactive/interactive_session.hpp"
#include "collector/session/launch/limits.hpp"
#include "collector/session/preparation.hpp"

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
  directory_.emplace(std::move(*directory));
  clock_ = measurement.finish();
  chains_.emplace();
  session_processes_.emplace(directory_->path());
  server_ = std::make_unique<TargetServer>(context(), std::move(*control), std::move(*arena));
  server_->watch_ends();
  if (const Status published = server_->publish_reply(); !published)
    base::log_debug("processes wait for an answer: {}", published.error().message);
  server_->watch_arrivals();
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

// What begins a capture range has been chosen by prof launch or prof start.
Status InteractiveSession::check_ranges() const {
  const CaptureRangeOptions& ranges = options_.ranges;
  if (ranges.by_nvtx && ranges.nvtx_range.empty())
    return base::fail("-c nvtx needs the range, which prof launch takes: -p RANGE");
  if (ranges.by_nvtx && !options_.has(wire::kFeatureNvtx))
    return base::fail("-c nvtx needs NVTX to be traced: prof launch -t nvtx");
  if (ranges.cuda_profiler_api && !options_.has(wire::kFeatureCuda))
    return base::fail("-c cudaProfilerApi needs CUDA to be traced: prof launch -t cuda");
  return {};
}

Status InteractiveSession::begin_collection() {
  if (Status checked = check_ranges(); !checked) return checked;
  server_->take_everything();
  const pid_t first = programs_.front().pid;
  collection_->output = with_pid(collection_->output, first);
  auto spool = create_spool(collection_->output, options_.overwrite);
  if (!spool) return tl::make_unexpected(spool.error());
  recorder_.attach(std::move(*spool));
  write_session_note(recorder_, options_, clock_->ticks_per_second());
  write_warnings(recorder_, options_.warnings, {});
  for (const std::string& warning : launch_warnings_)  // prof launch has printed them
    recorder_.diagnostic(spool::Severity::kWarning, warning);
  recorder_.clock(clock_->read());
  last_clock_ = Clock::now();
  pace_.emplace(options_);
  chains_.emplace();
  kernel_.emplace(context(), sampler::running_tasks(processes()));
  server_->begin_collection();
  recorder_.write_definitions();
  server_->wake_processes();
  collection_->has_begun = true;
  collection_->begin = clock_->now();
  if (!options_.ranges.enabled) recorder_.edge(wire::CaptureEvent::kBegin, collection_->begin);
  return {};
}

int InteractiveSession::error_of(const std::vector<Client>& waiting) const {
  if (!waiting.empty()) return waiting.front().error.get();
  for (const Program& program : programs_)
    if (program.error) return program.error.get();
  return -1;
}

void InteractiveSession::collect() {
  kernel_is_idle_ = !kernel_->drain(server_->has_captured());
  const auto now = Clock::now();
  if (now < pace_->due(server_->is_drain_requested())) return;
  chains_->read_jit_dumps(recorder_);
  pace_->drained(server_->poll(), now);
  if (now - last_clock_ >= kClockNoteInterval) {
    recorder_.clock(clock_->read());
    recorder_.check_file();
    last_clock_ = now;
  }
  if (server_->are_captures_done()) end_collection({}, {});
}

// Takes the last records of a collection. Programs go on meanwhile.
void InteractiveSession::finish_recording() {
  server_->quiet_processes();
  server_->take_gpu_records();
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
  const std::uint64_t end = clock_->now();
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
  FinishedCollection finished{recorder_.duplicate(), recorder_.path(), collection_->output,
                              options_.overwrite, collection_->words};
  recorder_.detach();
  chains_.emplace();
  collection_.reset();
  start_writer(std::move(finished), std::move(waiting));
}

// In another process: the collector goes on, and its memory does not grow.
void InteractiveSession::start_writer(FinishedCollection finished, std::vector<Client> waiting) {
  const pid_t pid = fork();
  if (pid < 0) {
    base::log_error("cannot start a process that writes {}: {}", finished.output, strerror(errno));
    for (const Client& client : waiting) reply(client, {{"status", 1}});
    return;
  }
  if (pid != 0) {
    writers_.push_back({pid, std::move(waiting)});
    return;
  }
  const int error = error_of(waiting);
  const int out = waiting.empty() ? error : waiting.front().out.get();
  if (out >= 0) dup2(out, STDOUT_FILENO);
  if (error >= 0) dup2(error, STDERR_FILENO);
  // None of the session's descriptors may stay open here: the collector watches them.
  const int file = dup2(finished.file.get(), 3);
  for (const pid_t fd : base::ids_in("/proc/self/fd"))
    if (fd > file) close(fd);
  static_cast<void>(finished.file.release());
  finished.file.reset(file);
  sigprocmask(SIG_SETMASK, &signals_.original_mask(), nullptr);
  _exit(hooks_.write_reports(finished));
}

}  // namespace prof::session
