#include "collector/session/spool_recorder.hpp"

#include "collector/session/all_clocks.hpp"
#include "collector/spool/decoder.hpp"
#include "collector/spool/kernel_records.hpp"
#include "common/base/log.hpp"

namespace prof::session {

namespace {

constexpr std::int64_t kClockNoteInterval = 10'000'000'000;  // ns

// Counts the records that are events. Other records only describe what events refer to.
std::uint64_t count_events(std::span<const std::byte> bytes) {
  std::uint64_t descriptions = 0;
  struct Counter {
    std::uint64_t& descriptions;
    void operator()(const wire::StringRecord&, std::string_view) { ++descriptions; }
    void operator()(const wire::FunctionRecord&) { ++descriptions; }
    void operator()(const wire::ThreadRecord&) { ++descriptions; }
    void operator()(const wire::OverheadRecord&) { ++descriptions; }
    void operator()(const wire::ShortCallsRecord&) { ++descriptions; }
    void operator()(const wire::EventChainRecord&) { ++descriptions; }
    void operator()(const wire::StackNodeRecord&) { ++descriptions; }
  };
  const auto stats = spool::decode(bytes, Counter{descriptions});
  return stats.records - descriptions;
}

}  // namespace

void SpoolRecorder::attach(spool::SpoolWriter spool) {
  spool_.emplace(std::move(spool));
  session_.reset();
  stopped_ = disk_full_ = file_problem_reported_ = false;
  dropped_events_ = 0;
  next_clock_note_ = 0;
}

void SpoolRecorder::detach() { spool_.reset(); }

void SpoolRecorder::turn(spool::SpoolWriter next) {
  keep(spool_->flush());
  spool_.emplace(std::move(next));
}

void SpoolRecorder::write_definitions() {
  definitions_->for_each([this](const spool::PieceHeader& piece, std::span<const std::byte> bytes) {
    if (!stopped_) keep(spool_->records(piece, bytes));
  });
}

void SpoolRecorder::note(const spool::SessionNote& note) {
  session_ = note;
  keep(spool_->note(note));
}

void SpoolRecorder::note(const spool::ProcessNote& note) {
  if (live_ != nullptr) live_->process_joined(note);
  if (watch_ != nullptr) watch_->process(note);
  // Without a spool the process's events are not recorded, so they need no note.
  if (spool_ && !stopped_) keep(spool_->note(note));
}

void SpoolRecorder::drops(std::uint32_t serial, spool::Drops dropped) {
  if (live_ != nullptr) live_->dropped(dropped);
  if (spool_) keep(spool_->note(spool::ProcessEndNote{serial, std::move(dropped), true}));
}

void SpoolRecorder::note(const spool::ProcessEndNote& note) {
  if (live_ != nullptr) {
    live_->dropped(note.dropped);
    live_->process_ended(note);
  }
  if (watch_ != nullptr) watch_->process_end(note.serial);
  if (definitions_) definitions_->forget(note.serial);
  if (spool_) keep(spool_->note(note));
}

void SpoolRecorder::note(const spool::MetricSourceNote& note) {
  if (watch_ != nullptr) watch_->metric_source(note);
  if (spool_) keep(spool_->note(note));
}

void SpoolRecorder::diagnostic(spool::Severity severity, const std::string& text) {
  if (spool_) keep(spool_->last_note(spool::DiagnosticNote{severity, text, {}}));
}

void SpoolRecorder::warn(const std::string& text) {
  base::log_warning("{}", text);
  diagnostic(spool::Severity::kWarning, text);
}

void SpoolRecorder::clock(const spool::ClockTriple& triple) {
  if (!spool_ || stopped_) return;
  keep(spool_->clock(triple));
  if (next_clock_note_ <= triple.monotonic) note_clocks();
}

void SpoolRecorder::note_clocks() {
  const spool::ClockNote note = read_all_clocks();
  next_clock_note_ = note.raw + kClockNoteInterval;
  keep(spool_->note(note));
}

void SpoolRecorder::edge(wire::CaptureEvent event, std::uint64_t time) {
  const wire::CaptureRecord record{
      {sizeof record, wire::RecordType::kCapture, 0, static_cast<std::uint32_t>(event)}, time};
  records({}, std::as_bytes(std::span(&record, 1)));
}

void SpoolRecorder::records(const spool::PieceHeader& piece, std::span<const std::byte> bytes) {
  if (watch_ != nullptr) watch_->records(piece, bytes);
  if (definitions_) definitions_->take(piece, bytes);
  if (live_ != nullptr) live_->take(piece, bytes);
  if (!spool_) return;
  if (!stopped_) keep(spool_->records(piece, bytes));
  // These events are dropped also if writing this piece failed.
  if (stopped_) dropped_events_ += count_events(bytes);
}

void SpoolRecorder::kernel_records(const spool::KernelPieceHeader& piece,
                                   std::span<const std::byte> bytes) {
  if (!spool_) return;
  if (!stopped_) keep(spool_->kernel_records(piece, bytes));
  if (stopped_) dropped_events_ += bytes.size() / sizeof(spool::KernelRecord);
}

void SpoolRecorder::call_chain_nodes(const spool::StackPieceHeader& piece,
                                     std::span<const std::byte> bytes) {
  if (spool_ && !stopped_) keep(spool_->stack_nodes(piece, bytes));
}

void SpoolRecorder::metric_samples(const spool::MetricPieceHeader& piece,
                                   std::span<const std::byte> bytes) {
  if (watch_ != nullptr) watch_->metric_samples(piece, bytes);
  if (!spool_) return;
  if (!stopped_) keep(spool_->metric_samples(piece, bytes));
  const std::size_t stride =
      sizeof(spool::MetricSample) + piece.values * sizeof(spool::MetricValue);
  if (stopped_) dropped_events_ += bytes.size() / stride;
}

// Reports the first failure at once, because the user may want to stop the program.
void SpoolRecorder::keep(const base::Status& status) {
  if (status || stopped_) return;
  stopped_ = true;
  spool_->discard(
      [this](std::span<const std::byte> records) { dropped_events_ += count_events(records); });
  disk_full_ = spool_->is_full();
  base::log_error("{}; the program goes on, but is not recorded from now on",
                  status.error().message);
}

void SpoolRecorder::check_file() {
  if (!spool_ || file_problem_reported_) return;
  const bool truncated = spool_->was_truncated();
  if (!truncated && !spool_->is_deleted()) return;
  file_problem_reported_ = true;
  if (!truncated) return base::log_warning("{} was deleted; recording goes on", path());
  base::log_warning("{} was cut short by another program; earlier events are lost", path());
  if (session_) keep(spool_->last_note(*session_));
  diagnostic(spool::Severity::kError,
             "The recording was cut short by another program; earlier events are lost.");
}

void SpoolRecorder::end(const spool::ClockTriple& triple, int exit_status) {
  keep(spool_->clock(triple));
  if (!stopped_) note_clocks();
  check_file();
  spool::EndNote note{exit_status, {}};
  if (dropped_events_ > 0)
    note.dropped = {{disk_full_ ? spool::DropCause::kDiskFull : spool::DropCause::kNotWritten,
                     dropped_events_}};
  keep(spool_->last_note(note));
}

}  // namespace prof::session
