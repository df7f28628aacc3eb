// Adds up the calls that were shorter than the threshold: one row of PROF_SHORT_CALLS for each
// thread and function.
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

  // Only calls of this window: from the time 0 of the clock to `length` ns.
  void set_window(std::int64_t length) { window_length_ = length; }

  void add(std::int64_t global_tid, const wire::ShortCallsRecord& record);
  // More calls of a function, of which nothing is known: they took what the others took on average.
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
  std::int64_t window_length_ = -1;                                 // ns; -1: everything
  std::pmr::map<std::pair<std::int64_t, std::int32_t>, Sum> sums_;  // by globalTid and name
};

}  // namespace prof::ingest
