// The report's small tables about the session: its options, its machine, and its processes.
#pragma once

#include <cstdint>
#include <string>

#include "collector/ingest/process_table.hpp"
#include "collector/spool/notes.hpp"
#include "common/report/report_writer.hpp"

namespace prof::ingest {

// Writes META_DATA_*, ANALYSIS_DETAILS, TARGET_INFO_*, PROCESSES, ProcessStreams and ANALYSIS_FILE.
// `duration`: length of the timeline, ns.
void write_session_tables(report::ReportWriter& writer, const spool::SessionNote& session,
                          const spool::Notes& notes, const ProcessTable& processes,
                          std::int64_t start_realtime, std::int64_t duration,
                          const std::string& output);

}  // namespace prof::ingest
