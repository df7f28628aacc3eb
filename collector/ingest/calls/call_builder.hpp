// Turns records of calls of the OS runtime and of NVIDIA's libraries into rows.
#pragma once

#include <cstdint>

#include "collector/ingest/calls/file_builder.hpp"
#include "collector/ingest/calls/function_names.hpp"
#include "collector/ingest/calls/matrix_products.hpp"
#include "collector/ingest/chains/call_chains.hpp"
#include "collector/ingest/thinning.hpp"
#include "collector/spool/clock_model.hpp"
#include "common/report/report_writer.hpp"
#include "common/wire/records.hpp"

namespace prof::ingest {

class CallBuilder {
 public:
  // The references outlive the builder.
  CallBuilder(const spool::ClockModel& clock, FunctionNames& functions, CallChains& chains,
              FileBuilder& files, Thinning& thinning, report::ReportWriter& writer)
      : clock_(clock),
        functions_(functions),
        chains_(chains),
        files_(files),
        thinning_(thinning),
        writer_(writer),
        products_(writer) {}

  void call(std::int64_t global_tid, const wire::CallRecord& record);
  void product(std::int64_t global_tid, const wire::MatrixProductRecord& record);
  // Adds a call with --osrt-file-access, of a process image.
  void file_call(std::uint32_t serial, std::int64_t global_tid, const wire::FileCallRecord& record);

  std::uint64_t os_runtime_calls() const { return os_runtime_calls_; }
  std::uint64_t library_calls() const { return library_calls_; }
  // Returns when the latest call ended, ns.
  std::int64_t last_time() const { return last_time_; }

 private:
  // Returns the row of a call without its call chain and weight.
  template <class Record>
  report::OsrtRow row_of(std::int64_t global_tid, const Record& record);
  void write(report::OsrtRow& row, std::uint64_t start);

  const spool::ClockModel& clock_;
  FunctionNames& functions_;
  CallChains& chains_;
  FileBuilder& files_;
  Thinning& thinning_;
  report::ReportWriter& writer_;
  MatrixProducts products_;
  std::uint64_t os_runtime_calls_ = 0;
  std::uint64_t library_calls_ = 0;
  std::int64_t last_time_ = 0;
};

}  // namespace prof::ingest
