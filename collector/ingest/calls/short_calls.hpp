// Sums up the calls that were shorter than the threshold: one row of PROF_SHORT_CALLS per thread
// and function.
#pragma once

#include <cstdint>
#include <map>
#include <memory_resource>
#include <utility>

#include "collector/ingest/calls/function_names.hpp"
#include "collector/spool/clock_model.hpp"
#include "common/report/report_writer.hpp"
#include "common/wire/records.hpp"

namespace prof::ingest {

class ShortCalls {
 public:
  // The references outlive the object.
  ShortCalls(const spool::ClockModel& clock, FunctionNames& functions, report::ReportWriter& writer)
      : clock_(clock), functions_(functions), writer_(writer), sums_(writer.memory()) {}

  // Restricts the sums to calls in this window: from the clock's time 0 to `length` ns.
  void set_window(std::int64_t length) { window_length_ = length; }

  void add(std::int64_t global_tid, const wire::ShortCallsRecord& record);
  // Adds calls of a function whose durations are unknown. Each counts with the average duration of
  // the other calls.
  void add_unrecorded(std::int64_t global_tid, std::uint32_t function, std::int64_t calls);
  // Writes the rows, after the last thread.
  void finish();

 private:
  struct Sum {
    std::int64_t calls = 0;
    std::int64_t time = 0;  // ns
  };

  const spool::ClockModel& clock_;
  FunctionNames& functions_;
  report::ReportWriter& writer_;
  std::int64_t window_length_ = -1;                                 // ns; -1: no window
  std::pmr::map<std::pair<std::int64_t, std::int32_t>, Sum> sums_;  // by globalTid and name
};

}  // namespace prof::ingest
