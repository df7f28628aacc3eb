// The part of DIAGNOSTIC_EVENT that is about the session: messages of the collector, dropped
// events, and final messages.
#pragma once

#include <cstdint>

#include "collector/ingest/diagnostics/final_messages.hpp"
#include "collector/ingest/process_table.hpp"
#include "collector/spool/clock_model.hpp"
#include "collector/spool/notes.hpp"
#include "common/report/report_writer.hpp"

namespace prof::ingest {

// Writes the messages of the collector during the recording.
void write_collector_messages(report::ReportWriter& writer, const spool::Notes& notes,
                              const spool::ClockModel& clock);

// Writes how many events each process and the collector dropped. `time`: of the rows, ns. Returns
// the number of events.
std::uint64_t write_drops(report::ReportWriter& writer, const ProcessTable& processes,
                          const spool::Drops& by_collector, std::int64_t time);

void write_final_messages(report::ReportWriter& writer, const SessionCounts& counts,
                          std::int64_t time);

}  // namespace prof::ingest
