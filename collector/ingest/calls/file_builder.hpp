// Turns the records of --osrt-file-access into OSRT_FILE_ACCESS_EVENTS and
// OSRT_FILE_ACCESS_DESCRIPTORS. Numbers of accesses are unique in the report. The record that
// describes an access can come from another thread than its calls, before or after them.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <string>
#include <unordered_map>
#include <vector>

#include "collector/ingest/process_table.hpp"
#include "collector/ingest/string_table.hpp"
#include "collector/spool/clock_model.hpp"
#include "common/report/report_writer.hpp"
#include "common/wire/records.hpp"

namespace prof::ingest {

class FileBuilder {
 public:
  FileBuilder(const spool::ClockModel& clock, const StringTable& strings,
              const ProcessTable& processes, report::ReportWriter& writer)
      : clock_(clock),
        strings_(strings),
        processes_(processes),
        writer_(writer),
        numbers_(writer.memory()),
        accesses_(writer.memory()) {}

  void file(std::uint32_t serial, const wire::FileRecord& record);
  void call(std::uint32_t serial, std::int64_t global_tid, std::int32_t name_id,
            const wire::FileCallRecord& record);
  // Writes the rows, after the last thread. `end` is the end of the session.
  void finish(std::int64_t end);

  std::uint64_t events() const { return events_; }

 private:
  struct Access {
    std::uint32_t serial = 0;
    wire::FileRecord record{};       // its first description
    std::uint64_t address = 0;       // its last known address: string hash
    std::uint64_t address_time = 0;  // time of the record with that address
    bool is_local = false;           // `address` is the socket's own, not its peer's
    std::uint64_t closed = 0;        // reading of the session's clock; 0: stayed open
  };

  // Returns the number of an access in the report. An access that was not seen before gets a new
  // number.
  std::size_t number_of(std::uint32_t serial, std::uint32_t access);
  std::string name_of(const Access& access, int copies) const;

  const spool::ClockModel& clock_;
  const StringTable& strings_;
  const ProcessTable& processes_;
  report::ReportWriter& writer_;

  std::pmr::unordered_map<std::uint64_t, std::size_t> numbers_;  // by serial << 32 | access
  std::pmr::vector<Access> accesses_;                            // by number, from 0
  std::uint64_t events_ = 0;
};

}  // namespace prof::ingest
