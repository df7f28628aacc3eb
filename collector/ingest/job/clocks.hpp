// PROF_CLOCKS: the readings of the machine's clocks.
#pragma once

#include "collector/spool/clock_model.hpp"
#include "collector/spool/notes.hpp"
#include "common/report/report_writer.hpp"

namespace prof::ingest {

void write_clocks(report::ReportWriter& writer, const spool::Notes& notes,
                  const spool::ClockModel& clock);

}  // namespace prof::ingest
