// Turns records of OpenGL into rows of nsys's tables.
#pragma once

#include <cstdint>
#include <map>
#include <memory_resource>
#include <utility>

#include "collector/ingest/calls/function_names.hpp"
#include "collector/ingest/string_table.hpp"
#include "collector/spool/clock_model.hpp"
#include "common/report/report_writer.hpp"
#include "common/wire/opengl_records.hpp"

namespace prof::ingest {

class OpenGlBuilder {
 public:
  // The references outlive the builder.
  OpenGlBuilder(const spool::ClockModel& clock, const StringTable& strings,
                FunctionNames& functions, report::ReportWriter& writer)
      : clock_(clock),
        strings_(strings),
        functions_(functions),
        writer_(writer),
        groups_(writer.memory()) {}

  void call(std::int64_t global_tid, const wire::OpenGlCallRecord& record);
  void group(std::uint32_t serial, std::int64_t global_tid, const wire::OpenGlGroupRecord& record);
  void workload(std::int64_t global_tid, const wire::OpenGlWorkloadRecord& record);
  void gpu_group(std::int64_t global_tid, const wire::OpenGlGpuGroupRecord& record);
  // Adds the groups that did not end, and what rows refer to.
  void finish();

  std::uint64_t events() const { return events_; }
  // Returns when the latest event ended, ns.
  std::int64_t last_time() const { return last_time_; }

 private:
  struct Span {
    std::int64_t start, end;
  };
  // Converts times of a GPU. The end is not before the start.
  Span span_of(const wire::OpenGlGpuTimes& times) const;
  void count(std::int64_t end);
  std::int32_t text(std::uint64_t hash);

  const spool::ClockModel& clock_;
  const StringTable& strings_;
  FunctionNames& functions_;
  report::ReportWriter& writer_;
  // Groups in progress: by serial and correlation id.
  std::pmr::map<std::pair<std::uint32_t, std::uint32_t>, report::OpenGlGroupRow> groups_;
  std::uint64_t events_ = 0;
  std::int64_t last_time_ = 0;
};

}  // namespace prof::ingest
