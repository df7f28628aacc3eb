#include "collector/session/flight/flight_recorder.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "collector/spool/spool_path.hpp"
#include "common/base/log.hpp"

namespace prof::session {

namespace fs = std::filesystem;
using spool::SnapshotCause;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

namespace {

// Interval between clock notes. If prof is killed, the report ends with the last of them.
constexpr auto kFlightClockInterval = milliseconds(100);
// Added to the time until CUPTI delivers the GPU's records.
constexpr auto kDeliveryMargin = milliseconds(200);
// Kept in addition to the requested time, so that a late report is complete.
constexpr auto kMargin = milliseconds(500);
// The maximum number of reports that are written at the same time. Each keeps the segments that it
// reads.
constexpr std::size_t kMaxWriters = 2;

nanoseconds delivery_time(const SessionOptions& options) {
  if (!options.has(wire::kFeatureCuda) || options.cuda.flush_interval == 0) return nanoseconds(0);
  return milliseconds(options.cuda.flush_interval) + kDeliveryMargin;
}

}  // namespace

FlightRecorder::FlightRecorder(const SessionContext& session, FlightStorage storage,
                               std::string output, Sources sources, const sigset_t& signals,
                               WriteReports write_reports)
    : session_(session),
      options_(session.options.flight),
      storage_(std::move(storage)),
      output_(std::move(output)),
      sources_(std::move(sources)),
      signals_(signals),
      write_reports_(std::move(write_reports)),
      settle_(delivery_time(session.options)) {
  constexpr std::size_t kMaxNodes = std::size_t{1} << 17;
  session_.chains.tree.set_most_nodes(kMaxNodes);
  if (options_.triggers.empty()) return;
  watch_ = std::make_unique<TriggerWatch>(options_.triggers, session_.clock,
                                          static_cast<std::uint64_t>(settle_.count()));
  session_.recorder.show_to(watch_.get());
}

FlightRecorder::~FlightRecorder() { session_.recorder.show_to(nullptr); }

std::uint64_t FlightRecorder::oldest(const spool::ClockTriple& now) const {
  const nanoseconds kept = options_.window + options_.trigger_after + settle_ + kMargin;
  const std::uint64_t ticks = session_.clock.to_ticks(static_cast<std::uint64_t>(kept.count()));
  return now.ticks > ticks ? now.ticks - ticks : 0;
}

void FlightRecorder::turn() {
  const auto now = Clock::now();
  const spool::ClockTriple clock = session_.clock.read();
  if (watch_ != nullptr) check_triggers(clock);
  for (std::size_t i = 0; i < pending_.size();) {
    if (pending_[i].due > now) {
      ++i;
      continue;
    }
    Pending due = std::move(pending_[i]);
    pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(i));
    write(std::move(due));
  }
  reap(false);
  if (now - last_clock_ < kFlightClockInterval && !storage_.is_segment_full(session_.recorder))
    return;
  last_clock_ = now;
  session_.recorder.clock(clock);
  sources_.note_drops();
  storage_.turn(session_, clock, oldest(clock));
}

void FlightRecorder::request(Request request) {
  SnapshotCause cause{
      .text = std::string("The report was requested by ") +
              (std::strcmp(request.by, "signal") == 0 ? "a signal." : "prof snapshot."),
      .trigger = request.by,
      .time = session_.clock.now()};
  const std::uint64_t end = cause.time;
  pending_.push_back({std::move(request), {std::move(cause)}, end, Clock::now() + settle_, false});
}

// True if the limit of reports per hour permits another report.
bool FlightRecorder::may_write_another() {
  const auto now = Clock::now();
  while (!written_.empty() && now - written_.front() >= std::chrono::hours(1)) written_.pop_front();
  if (written_.empty()) suppression_told_ = false;
  return written_.size() < options_.trigger_limit && writers_.size() < kMaxWriters;
}

// A trigger that fires while a report is pending is added to that report.
void FlightRecorder::check_triggers(const spool::ClockTriple& now) {
  auto causes = watch_->take(now);
  if (causes.empty()) return;
  const auto waiting = std::ranges::find(pending_, true, &Pending::by_trigger);
  if (waiting != pending_.end()) {
    std::ranges::move(causes, std::back_inserter(waiting->causes));
    return;
  }
  if (!may_write_another()) {
    suppressed_ += causes.size();
    if (!std::exchange(suppression_told_, true))
      base::log_warning(
          "{} No report is written of this: {}", causes.front().text,
          written_.size() < options_.trigger_limit
              ? "others are being written."
              : fmt::format("there were {} in the last hour (--trigger-limit).", written_.size()));
    return;
  }
  written_.push_back(Clock::now());
  const std::uint64_t end =
      now.ticks +
      session_.clock.to_ticks(static_cast<std::uint64_t>(options_.trigger_after.count()));
  pending_.push_back({Request{.by = "trigger"}, std::move(causes), end,
                      Clock::now() + options_.trigger_after + settle_, true});
}

// Returns OUTPUT.N.db with the first number N that is free.
std::string FlightRecorder::next_output() {
  std::error_code error;
  for (;;) {
    fs::path path(output_);
    path.replace_extension(fmt::format(".{}{}", ++number_, fs::path(output_).extension().string()));
    if (!fs::exists(path, error) && !fs::exists(spool::spool_path(path.string()), error))
      return path.string();
  }
}

spool::SnapshotContent FlightRecorder::content(std::vector<SnapshotCause> causes,
                                               std::uint64_t end) {
  spool::SnapshotContent content{
      .session = session_.recorder.session().value_or(spool::SessionNote{}),
      .window = static_cast<std::uint64_t>(options_.window.count()),
      .end = end,
      .causes = std::move(causes),
      .remarks = {}};
  if (suppressed_ > 0)
    content.remarks.push_back(
        fmt::format("Triggers fired {} more times since the last report, without a report of their "
                    "own (--trigger-limit {}).",
                    std::exchange(suppressed_, 0), options_.trigger_limit));
  if (storage_.forgotten_definitions() > 0)
    content.remarks.push_back(fmt::format(
        "The program has made more names than the flight recorder keeps: {} of the oldest were "
        "forgotten. An event that uses one again may have no name.",
        storage_.forgotten_definitions()));
  return content;
}

void FlightRecorder::write(Pending pending) {
  Request& request = pending.request;
  const std::string output = request.output.empty() ? next_output() : request.output;
  sources_.take_everything();
  sources_.note_drops();
  session_.recorder.clock(session_.clock.read());
  session_.recorder.write_collected();
  if (pending.by_trigger) base::log_warning("{}", pending.causes.front().text);
  const spool::SnapshotContent what = content(std::move(pending.causes), pending.end);
  // The files are opened here, because the collector goes on and drops some of them.
  const auto files = storage_.files();
  const auto prepare = [&]() -> base::Result<FinishedCollection> {
    if (!files) return tl::make_unexpected(files.error());
    const std::string path = spool::spool_path(output);
    auto to = spool::SpoolWriter::create(path);
    if (!to) return tl::make_unexpected(to.error());
    base::Status written = spool::write_snapshot(*to, *files, what);
    if (written) written = to->last_note(spool::EndNote{.exit_status = -1});
    if (!written) {
      unlink(path.c_str());
      return tl::make_unexpected(written.error());
    }
    return FinishedCollection{to->duplicate(), path, output, request.overwrite, {}};
  };
  const int error = request.error ? request.error.get() : sources_.error();
  const pid_t pid = start_report_process({.out = request.out ? request.out.get() : error,
                                          .error = error,
                                          .is_polite = true,
                                          .prepare = prepare},
                                         signals_, write_reports_);
  if (pid > 0) {
    writers_.push_back({pid, output, std::move(request.done)});
    return;
  }
  base::log_error("cannot start a process that writes {}: {}", output, std::strerror(errno));
  if (request.done) request.done(1, output);
}

void FlightRecorder::reap(bool wait) {
  for (auto at = writers_.begin(); at != writers_.end();) {
    int status = 0;
    if (waitpid(at->pid, &status, wait ? 0 : WNOHANG) != at->pid) {
      ++at;
      continue;
    }
    if (at->done) at->done(WIFEXITED(status) ? WEXITSTATUS(status) : 1, at->output);
    at = writers_.erase(at);
  }
}

void FlightRecorder::finish_reports() {
  for (Pending& each : std::exchange(pending_, {})) write(std::move(each));
  reap(true);
}

base::Result<FinishedCollection> FlightRecorder::finish(const std::string& cause, bool overwrite) {
  const std::uint64_t end = session_.clock.now();
  const auto finished = storage_.finish(content({{.text = cause, .trigger = "end"}}, end));
  if (!finished) return tl::make_unexpected(finished.error());
  return FinishedCollection{storage_.duplicate(), storage_.path(), output_, overwrite, {}};
}

std::uint64_t oom_kills() {
  std::ifstream file("/proc/vmstat");
  std::string name;
  std::uint64_t value = 0;
  while (file >> name >> value)
    if (name == "oom_kill") return value;
  return 0;
}

std::string ending_text(int status, std::uint64_t oom_kills_before) {
  constexpr int kSignals = 128;
  if (status == kUnknownStatus)
    return "The program ended. Its exit status is known to the process that started it only.";
  if (status < 0) return "The session was ended; the program went on.";
  if (status <= kSignals || status >= kSignals + NSIG)
    return fmt::format("The program ended with exit status {}.", status);
  const int signal = status - kSignals;
  const char* name = sigabbrev_np(signal);
  std::string text = fmt::format("The program was ended by signal {} (SIG{}).", signal,
                                 name != nullptr ? name : "?");
  if (signal == SIGKILL && oom_kills() > oom_kills_before)
    text += " The kernel killed a process because memory was short, most likely this one.";
  return text;
}

}  // namespace prof::session
