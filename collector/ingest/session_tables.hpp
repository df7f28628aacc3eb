// The report's small tables: what the session was, where it ran, and what there is to say about it.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "collector/ingest/process_table.hpp"
#include "collector/report/report_writer.hpp"
#include "collector/spool/clock_model.hpp"

namespace prof::ingest {

// ENUM_DIAGNOSTIC_SEVERITY_LEVEL
enum class Severity : std::int64_t { kInfo = 1, kWarning = 2, kError = 3 };
// ENUM_DIAGNOSTIC_SOURCE_TYPE
enum class DiagnosticSource : std::int64_t { kInjection = 1, kDaemon = 2, kAnalysis = 3 };

struct Diagnostic {
  std::int64_t time = 0;  // ns
  DiagnosticSource source = DiagnosticSource::kAnalysis;
  Severity severity = Severity::kInfo;
  std::string text;
  std::int64_t global_pid = kGlobalVid;
};

void write_diagnostic(report::ReportWriter& writer, const Diagnostic& diagnostic);

// META_DATA_*, ANALYSIS_DETAILS, TARGET_INFO_*, PROCESSES, ProcessStreams and ANALYSIS_FILE.
// `session` is the spool's session note, `duration` the length of the timeline in ns.
void write_session_tables(report::ReportWriter& writer, const nlohmann::json& session,
                          const std::vector<nlohmann::json>& notes, const ProcessTable& processes,
                          std::int64_t start_realtime, std::int64_t duration,
                          const std::string& output);

}  // namespace prof::ingest
