// Turns records of UCX calls into rows of nsys's tables.
#pragma once

#include <cstdint>

#include "collector/ingest/calls/function_names.hpp"
#include "collector/spool/clock_model.hpp"
#include "common/report/report_writer.hpp"
#include "common/wire/ucx_records.hpp"

namespace prof::ingest {

class UcxBuilder {
 public:
  // The references outlive the builder.
  UcxBuilder(const spool::ClockModel& clock, FunctionNames& functions, report::ReportWriter& writer)
      : clock_(clock), functions_(functions), writer_(writer) {}

  void transfer(std::int64_t global_tid, const wire::UcpTransferRecord& record);
  void call(std::int64_t global_tid, const wire::UcpCallRecord& record);
  void worker(std::int64_t global_tid, const wire::UcpWorkerRecord& record);

  // Returns the number of calls.
  std::uint64_t events() const { return events_; }
  // Returns when the latest call or transfer ended, ns.
  std::int64_t last_time() const { return last_time_; }

 private:
  // Sets what all rows have.
  template <class Row, class Record>
  Row row_of(std::int64_t global_tid, const Record& record);
  template <class Row>
  Row transfer_of(std::int64_t global_tid, const wire::UcpTransferRecord& record);

  const spool::ClockModel& clock_;
  FunctionNames& functions_;
  report::ReportWriter& writer_;
  std::uint64_t events_ = 0;
  std::int64_t last_time_ = 0;
};

}  // namespace prof::ingest
