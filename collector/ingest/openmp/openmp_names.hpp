// The names and numbers that nsys gives to OpenMP events.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "common/report/report_writer.hpp"
#include "common/wire/openmp_records.hpp"

namespace prof::ingest {

// Ids of ENUM_OPENMP_TASK_FLAG.
inline constexpr std::int32_t kImplicitTask = 2;
inline constexpr std::int32_t kExplicitTask = 4;

// Returns the id of ENUM_OPENMP_WORK or ENUM_OPENMP_SYNC_REGION. Later versions of OpenMP tell more
// kinds apart than nsys does.
std::int32_t work_kind(std::uint32_t kind);
std::int32_t sync_kind(std::uint32_t kind);

const char* name_of_work(std::int32_t kind);
const char* name_of_sync(std::int32_t kind);
const char* name_of_wait(std::uint32_t mutex);
const char* name_of_target(std::uint32_t kind);

// Writes nsys's ENUM_OPENMP tables.
void write_openmp_enums(report::ReportWriter& writer);

class OpenMpNames {
 public:
  explicit OpenMpNames(report::ReportWriter& writer) : writer_(writer) {}

  // Returns the StringIds.id of one of the names above: a literal.
  std::int32_t id_of(const char* name) {
    const auto [known, is_new] = ids_.try_emplace(name);
    if (is_new) known->second = writer_.string_id(name);
    return known->second;
  }

 private:
  report::ReportWriter& writer_;
  std::unordered_map<const char*, std::int32_t> ids_;
};

}  // namespace prof::ingest
