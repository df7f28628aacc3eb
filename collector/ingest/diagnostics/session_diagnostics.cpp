#include "collector/ingest/diagnostics/session_diagnostics.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "collector/ingest/diagnostics/diagnostic.hpp"

namespace prof::ingest {

namespace {

// The counters are in memory that the target can overwrite, so a sum can be too large.
std::uint64_t limited_sum(std::uint64_t a, std::uint64_t b) {
  return b > ~a ? ~std::uint64_t{0} : a + b;
}

// `by` is " of process 5", or empty.
std::uint64_t write_drops_of(report::ReportWriter& writer, const spool::Drops& drops,
                             const std::string& by, std::int64_t global_pid, std::int64_t time) {
  std::uint64_t sum = 0;
  for (const auto& [cause, events] : drops) {
    if (events == 0) continue;
    sum = limited_sum(sum, events);
    write_diagnostic(writer, {time, DiagnosticSource::kInjection, Severity::kWarning,
                              fmt::format("{} events{} were dropped: {}.", events, by,
                                          spool::texts_of(cause).message),
                              global_pid});
  }
  return sum;
}

}  // namespace

void write_collector_messages(report::ReportWriter& writer, const spool::Notes& notes,
                              const spool::ClockModel& clock) {
  write_diagnostic(
      writer, {0, DiagnosticSource::kDaemon, Severity::kInfo, "Collection started.", kGlobalVid});
  notes.for_each<spool::DiagnosticNote>([&](const spool::DiagnosticNote& note) {
    write_diagnostic(writer, {note.time ? clock.to_ns(*note.time) : 0, DiagnosticSource::kDaemon,
                              note.severity, note.text, kGlobalVid});
  });
}

std::uint64_t write_drops(report::ReportWriter& writer, const ProcessTable& processes,
                          const spool::Drops& by_collector, std::int64_t time) {
  std::uint64_t sum = 0;
  for (const ProcessImage& image : processes.images())
    sum = limited_sum(
        sum, write_drops_of(writer, image.dropped, fmt::format(" of process {}", image.pid),
                            processes.global_pid_of(image.serial), time));
  return limited_sum(sum, write_drops_of(writer, by_collector, "", kGlobalVid, time));
}

void write_final_messages(report::ReportWriter& writer, const SessionCounts& counts,
                          std::int64_t time) {
  for (FinalMessage& message : final_messages(counts))
    write_diagnostic(writer, {time, DiagnosticSource::kAnalysis, message.severity,
                              std::move(message.text), kGlobalVid});
}

}  // namespace prof::ingest
