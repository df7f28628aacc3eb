#include "collector/ingest/diagnostics/target_diagnostics.hpp"

#include "collector/ingest/diagnostics/diagnostic.hpp"
#include "collector/ingest/diagnostics/target_messages.hpp"

namespace prof::ingest {

void TargetDiagnostics::add(std::uint32_t serial, const wire::DiagnosticRecord& record) {
  if (record.header.aux == static_cast<std::uint32_t>(wire::DiagnosticCode::kCudaReady))
    with_cuda_.insert(serial);
  std::string text = diagnostic_text(record, strings_);
  // The message is written once per program, because a script may start a program a thousand times.
  if (is_about_untraced_program(record) && !untraced_.insert(text).second) return;
  write_diagnostic(
      writer_, {clock_.to_ns(record.time), DiagnosticSource::kInjection,
                diagnostic_severity(record), std::move(text), processes_.global_pid_of(serial)});
}

void TargetDiagnostics::add(std::uint32_t serial, std::int64_t global_tid,
                            const wire::OverheadRecord& record) {
  if (record.header.flags == wire::kLastFlush) with_all_cuda_.insert(serial);
  writer_.add(report::OverheadRow{
      clock_.to_ns(record.start), clock_.to_ns(record.end), global_tid,
      writer_.string_id(overhead_name(static_cast<wire::OverheadKind>(record.header.aux)))});
}

void TargetDiagnostics::write_missing_gpu_records(std::int64_t end, bool was_complete) {
  for (const std::uint32_t serial : with_cuda_) {
    const ProcessImage* process = processes_.find(serial);
    const bool goes_on = was_complete && process != nullptr && !process->has_ended;
    if (goes_on || with_all_cuda_.contains(serial)) continue;
    write_diagnostic(writer_, {end, DiagnosticSource::kInjection, Severity::kWarning,
                               "The process did not deliver its last GPU records: it was killed, "
                               "it crashed, or it is still running. GPU work of its last moments "
                               "is missing.",
                               processes_.global_pid_of(serial)});
  }
}

}  // namespace prof::ingest
