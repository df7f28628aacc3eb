// Turns records of PyTorch's memory into rows.
#pragma once

#include <algorithm>
#include <cstdint>

#include "collector/spool/clock_model.hpp"
#include "common/report/report_writer.hpp"
#include "common/wire/torch_records.hpp"

namespace prof::ingest {

class TorchMemory {
 public:
  // The references outlive the builder.
  TorchMemory(const spool::ClockModel& clock, report::ReportWriter& writer)
      : clock_(clock), writer_(writer) {}

  void add(std::int64_t global_tid, const wire::TorchMemoryRecord& record);

  std::uint64_t events() const { return events_; }
  // Returns the number of requests for which there was no memory.
  std::uint64_t failures() const { return failures_; }
  // Returns the time of the latest event, ns.
  std::int64_t last_time() const { return last_time_; }

 private:
  const spool::ClockModel& clock_;
  report::ReportWriter& writer_;
  std::uint64_t events_ = 0;
  std::uint64_t failures_ = 0;
  std::int64_t last_time_ = 0;
};

}  // namespace prof::ingest
