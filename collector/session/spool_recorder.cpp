#include "collector/session/spool_recorder.hpp"

#include "collector/base/log.hpp"
#include "collector/spool/decoder.hpp"
#include "collector/spool/kernel_records.hpp"

namespace prof::session {

namespace {

// Records but those that only describe what others refer to.
std::uint64_t count_events(std::span<const std::byte> bytes) {
  std::uint64_t descriptions = 0;
  struct Counter {
    std::uint64_t& descriptions;
    void operator()(const wire::StringRecord&, std::string_view) { ++descriptions; }
    void operator()(const wire::FunctionRecord&) { ++descriptions; }
    void operator()(const wire::ThreadRecord&) { ++descriptions; }
    void operator()(const wire::OverheadRecord&) { ++descriptions; }
    void operator()(const wire::EventChainRecord&) { ++descriptions; }
    void operator()(const wire::StackNodeRecord&) { ++descriptions; }
  };
  const auto stats = spool::decode(bytes, Counter{descriptions});
  return stats.records - descriptions;
}

}  // namespace

void SpoolRecorder::note(const nlohmann::json& note) {
  const std::string type = note.value("type", "");
  if (stopped_ && type == "process") return;  // none of its events would follow
  if (type == "session") session_ = note;
  keep(spool_.note(note));
}

void SpoolRecorder::diagnostic(int severity, const std::string& text) {
  keep(spool_.closing_note({{"type", "diagnostic"}, {"severity", severity}, {"text", text}}));
}

void SpoolRecorder::warn(const std::string& text) {
  constexpr int kWarning = 2;
  base::log_warning("{}", text);
  diagnostic(kWarning, text);
}

void SpoolRecorder::clock(const spool::ClockTriple& triple) {
  if (!stopped_) keep(spool_.clock(triple));
}

void SpoolRecorder::records(const spool::PieceHeader& piece, std::span<const std::byte> bytes) {
  if (!stopped_) keep(spool_.records(piece, bytes));
  // After the failure of this very piece too.
  if (stopped_) lost_events_ += count_events(bytes);
}

void SpoolRecorder::kernel_records(const spool::KernelPieceHeader& piece,
                              std::span<const std::byte> bytes) {
  if (!stopped_) keep(spool_.kernel_records(piece, bytes));
  if (stopped_) lost_events_ += bytes.size() / sizeof(spool::KernelRecord);
}

void SpoolRecorder::stack_nodes(const spool::StackPieceHeader& piece, std::span<const std::byte> bytes) {
  if (!stopped_) keep(spool_.stack_nodes(piece, bytes));
}

// The first failure is told at once: the user may want to stop the program.
void SpoolRecorder::keep(const base::Status& status) {
  if (status || stopped_) return;
  stopped_ = true;
  disk_full_ = spool_.is_full();
  base::log_error("{}; the program goes on, but what it does from now on is not recorded",
                  status.error().message);
}

void SpoolRecorder::look_after_file() {
  if (told_of_file_) return;
  const bool truncated = spool_.was_truncated();
  if (!truncated && !spool_.is_deleted()) return;
  told_of_file_ = true;
  if (!truncated) return base::log_warning("{} was deleted; recording goes on", path());
  base::log_warning("{} was cut short by another program; what was recorded before is lost",
                    path());
  keep(spool_.closing_note(session_));
  diagnostic(3,
             "The recording was cut short by another program; what was recorded before is lost.");
}

void SpoolRecorder::end(const spool::ClockTriple& triple, int exit_status) {
  keep(spool_.clock(triple));
  look_after_file();
  nlohmann::json note = {{"type", "end"}, {"exit_status", exit_status}};
  if (lost_events_ > 0)
    note["dropped"] = {{disk_full_ ? "disk_full" : "not_written", lost_events_}};
  keep(spool_.closing_note(note));
}

}  // namespace prof::session
