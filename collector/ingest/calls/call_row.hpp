// What rows of calls have in common.
#pragma once

#include <cstdint>

#include "collector/ingest/calls/function_names.hpp"
#include "collector/spool/clock_model.hpp"

namespace prof::ingest {

// Returns a row with the times, the thread and the name of the function of a record.
template <class Row, class Record>
Row call_row(const spool::ClockModel& clock, FunctionNames& functions, std::int64_t global_tid,
             const Record& record) {
  Row row;
  row.start = clock.to_ns(record.start);
  row.end = clock.to_ns(record.end);
  row.global_tid = global_tid;
  row.name_id = functions.id_of(record.header.aux);
  return row;
}

}  // namespace prof::ingest
