// Turns records of OpenACC into rows of nsys's tables.
#pragma once

#include <cstdint>

#include "collector/ingest/openmp/construct_places.hpp"
#include "collector/ingest/string_table.hpp"
#include "collector/spool/clock_model.hpp"
#include "common/report/report_writer.hpp"
#include "common/wire/openmp_records.hpp"

namespace prof::ingest {

class OpenAccBuilder {
 public:
  // The references outlive the builder.
  OpenAccBuilder(const spool::ClockModel& clock, const StringTable& strings,
                 ConstructPlaces& places, report::ReportWriter& writer)
      : clock_(clock), strings_(strings), places_(places), writer_(writer) {}

  void add(std::uint32_t serial, std::int64_t global_tid, const wire::OpenAccRecord& record);
  // Writes what rows refer to.
  void finish();

  std::uint64_t events() const { return events_; }
  // Returns when the latest event ended, ns.
  std::int64_t last_time() const { return last_time_; }

 private:
  std::int64_t text(std::uint64_t hash);
  void set_place(report::OpenAccRow& row, std::uint32_t serial, const wire::OpenAccRecord& record);

  const spool::ClockModel& clock_;
  const StringTable& strings_;
  ConstructPlaces& places_;
  report::ReportWriter& writer_;
  std::uint64_t events_ = 0;
  std::int64_t last_time_ = 0;
};

}  // namespace prof::ingest
