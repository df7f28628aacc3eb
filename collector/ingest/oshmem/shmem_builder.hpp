// Turns records of OpenSHMEM calls into rows.
#pragma once

#include <cstdint>

#include "collector/ingest/calls/function_names.hpp"
#include "collector/spool/clock_model.hpp"
#include "common/report/report_writer.hpp"
#include "common/wire/shmem_records.hpp"

namespace prof::ingest {

class ShmemBuilder {
 public:
  // The references outlive the builder.
  ShmemBuilder(const spool::ClockModel& clock, FunctionNames& functions,
               report::ReportWriter& writer)
      : clock_(clock), functions_(functions), writer_(writer) {}

  void call(std::int64_t global_tid, const wire::ShmemCallRecord& record);

  std::uint64_t events() const { return events_; }
  // Returns when the latest call ended, ns.
  std::int64_t last_time() const { return last_time_; }

 private:
  const spool::ClockModel& clock_;
  FunctionNames& functions_;
  report::ReportWriter& writer_;
  std::uint64_t events_ = 0;
  std::int64_t last_time_ = 0;
};

}  // namespace prof::ingest
