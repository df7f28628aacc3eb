// Turns records of OpenMP runtimes into rows of nsys's tables.
#pragma once

#include <cstdint>
#include <map>
#include <memory_resource>
#include <optional>
#include <utility>

#include "collector/ingest/openmp/construct_places.hpp"
#include "collector/ingest/openmp/openmp_names.hpp"
#include "collector/ingest/openmp/openmp_thread.hpp"
#include "collector/spool/clock_model.hpp"

namespace prof::ingest {

class OpenMpBuilder {
 public:
  // The references outlive the builder.
  OpenMpBuilder(const spool::ClockModel& clock, const ProcessTable& processes,
                ConstructPlaces& places, report::ReportWriter& writer)
      : clock_(clock),
        processes_(processes),
        writer_(writer),
        names_(writer),
        places_(places),
        region_ends_(writer.memory()) {}

  // Sets when the recording ended, ns. What never ends lasts until then, or until the process
  // starts another program.
  void set_end(std::int64_t ns) { end_ = ns; }

  void define(std::uint32_t serial, const wire::OpenMpEndRecord& record);

  // Begins a thread. Its records come in order, between begin_thread and end_thread.
  void begin_thread(std::uint32_t serial, std::int64_t global_tid);
  void begin(const wire::OpenMpBeginRecord& record);
  void end(const wire::OpenMpEndRecord& record);
  void end_thread();

  // Writes what rows refer to.
  void finish();

  std::uint64_t events() const { return events_; }
  // Returns when the latest event ended, ns.
  std::int64_t last_time() const { return last_time_; }

 private:
  void write(const OpenMpSpan& span);
  void write_construct(const OpenMpSpan& span);
  void write_mutex(const OpenMpSpan& span);
  template <class Row>
  Row row_of(const OpenMpSpan& span, const char* name);
  template <class Row>
  void set_code(Row& row, const OpenMpSpan& span);
  std::int64_t end_of_process() const;
  OpenMpThread& thread();

  const spool::ClockModel& clock_;
  const ProcessTable& processes_;
  report::ReportWriter& writer_;
  OpenMpNames names_;
  ConstructPlaces& places_;
  // When regions ended whose threads do not say so: by serial and number of the region.
  std::pmr::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> region_ends_;
  std::optional<OpenMpThread> thread_;  // once it has an event
  std::uint32_t serial_ = 0;
  std::int64_t global_tid_ = 0;
  std::int64_t end_ = 0;
  std::uint64_t events_ = 0;
  std::int64_t last_time_ = 0;
};

}  // namespace prof::ingest
