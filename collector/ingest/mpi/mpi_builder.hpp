// Turns records of MPI calls into rows of nsys's tables, with the meanings that nsys gives to them.
#pragma once

#include <cstdint>
#include <map>
#include <memory_resource>
#include <set>
#include <utility>
#include <vector>

#include "collector/ingest/calls/function_names.hpp"
#include "collector/ingest/job/ranks.hpp"
#include "collector/ingest/mpi/communicators.hpp"
#include "collector/ingest/process_table.hpp"
#include "collector/spool/clock_model.hpp"
#include "common/report/report_writer.hpp"
#include "common/wire/mpi_records.hpp"

namespace prof::ingest {

class MpiBuilder {
 public:
  // The references outlive the builder.
  MpiBuilder(const spool::ClockModel& clock, FunctionNames& functions, Ranks& ranks,
             report::ReportWriter& writer)
      : clock_(clock),
        functions_(functions),
        ranks_(ranks),
        writer_(writer),
        communicators_(writer.memory()),
        pending_(writer.memory()),
        worlds_(writer.memory()),
        finalized_(writer.memory()) {}

  void message(std::int64_t global_tid, const wire::MpiMessageRecord& record);
  void collective(std::int64_t global_tid, const wire::MpiCollectiveRecord& record);
  void request(std::int64_t global_tid, const wire::MpiRequestRecord& record);
  // Adds the receipts whose sender has not become known, and the communicators.
  void finish();
  void call(std::int64_t global_tid, const wire::MpiCallRecord& record);
  // Adds a communicator of a process image.
  void communicator(std::uint32_t serial, std::int64_t global_tid,
                    const wire::MpiCommunicatorRecord& record);

  std::uint64_t events() const { return events_; }
  // Returns the ranks of processes that ended and have not returned from MPI_Finalize, sorted.
  std::vector<std::int32_t> unfinished_ranks(const ProcessTable& processes) const;
  // Returns when the latest call ended, ns.
  std::int64_t last_time() const { return last_time_; }

 private:
  // Sets what all rows of calls have.
  template <class Row, class Record>
  Row row_of(std::int64_t global_tid, const Record& record);

  // Adds a receipt whose request is done or stands for another call from now on, if there is one.
  void close(std::int64_t global_tid, std::uint64_t request);

  const spool::ClockModel& clock_;
  FunctionNames& functions_;
  Ranks& ranks_;
  report::ReportWriter& writer_;
  Communicators communicators_;
  // Receipts with wildcards that are not done: by globalTid and request.
  std::pmr::map<std::pair<std::int64_t, std::uint64_t>, report::MpiMessageRow> pending_;
  std::pmr::map<std::uint32_t, std::int32_t> worlds_;  // ranks by serial
  std::pmr::set<std::int64_t> finalized_;              // global pids
  std::uint64_t events_ = 0;
  std::int64_t last_time_ = 0;
};

}  // namespace prof::ingest
