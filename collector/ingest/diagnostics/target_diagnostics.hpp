// What the processes of the target reported about themselves: their messages, the overhead of the
// injection library, and whether their last GPU records arrived.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "collector/ingest/process_table.hpp"
#include "collector/ingest/string_table.hpp"
#include "collector/spool/clock_model.hpp"
#include "common/report/report_writer.hpp"
#include "common/wire/records.hpp"

namespace prof::ingest {

class TargetDiagnostics {
 public:
  // The references outlive the object.
  TargetDiagnostics(const spool::ClockModel& clock, const StringTable& strings,
                    const ProcessTable& processes, report::ReportWriter& writer)
      : clock_(clock), strings_(strings), processes_(processes), writer_(writer) {}

  void add(std::uint32_t serial, const wire::DiagnosticRecord& record);
  void add(std::uint32_t serial, std::int64_t global_tid, const wire::OverheadRecord& record);

  // Called after the last record. `end`: of the session. `was_complete`: prof ended the session
  // normally, so it waited for the records of processes that were still running.
  void write_missing_gpu_records(std::int64_t end, bool was_complete);

  // Returns the programs that could not be traced, and why.
  std::vector<std::string> untraced() const { return {untraced_.begin(), untraced_.end()}; }

 private:
  const spool::ClockModel& clock_;
  const StringTable& strings_;
  const ProcessTable& processes_;
  report::ReportWriter& writer_;
  std::set<std::uint32_t> with_cuda_;      // process images in which CUDA tracing started
  std::set<std::uint32_t> with_all_cuda_;  // process images that delivered their last GPU records
  std::set<std::string> untraced_;
};

}  // namespace prof::ingest
