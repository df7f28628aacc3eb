// Rows of DIAGNOSTIC_EVENT: messages to the reader of the report.
#pragma once

#include <cstdint>
#include <string>

#include "collector/ingest/process_table.hpp"
#include "collector/spool/notes.hpp"
#include "common/report/report_writer.hpp"

namespace prof::ingest {

using spool::Severity;

// Numbers of ENUM_DIAGNOSTIC_SOURCE_TYPE.
enum class DiagnosticSource : std::int64_t { kInjection = 1, kDaemon = 2, kAnalysis = 3 };

struct Diagnostic {
  std::int64_t time = 0;  // ns
  DiagnosticSource source = DiagnosticSource::kAnalysis;
  Severity severity = Severity::kInfo;
  std::string text;
  std::int64_t global_pid = kGlobalVid;
};

void write_diagnostic(report::ReportWriter& writer, const Diagnostic& diagnostic);

}  // namespace prof::ingest
