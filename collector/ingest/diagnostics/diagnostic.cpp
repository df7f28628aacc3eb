#include "collector/ingest/diagnostics/diagnostic.hpp"

namespace prof::ingest {

void write_diagnostic(report::ReportWriter& writer, const Diagnostic& diagnostic) {
  constexpr std::int64_t kTargetTime = 1;  // ENUM_DIAGNOSTIC_TIMESTAMP_SOURCE
  writer.add(
      "DIAGNOSTIC_EVENT",
      {diagnostic.time, kTargetTime, static_cast<std::int64_t>(diagnostic.source),
       static_cast<std::int64_t>(diagnostic.severity), diagnostic.text, diagnostic.global_pid});
}

}  // namespace prof::ingest
