// The sources of GENERIC_EVENTS and GPU_METRICS, with ids as in nsys's reports: hardware 0, virtual
// machine 1, source; the lower 32 bits are the type's.
#pragma once

#include <cstdint>
#include <string_view>

#include "collector/ingest/process_table.hpp"
#include "common/report/report_writer.hpp"

namespace prof::ingest {

inline constexpr std::int64_t kGpuSource = kGlobalVid | (std::int64_t{1} << 32);
inline constexpr std::int64_t kFtraceSource = kGlobalVid | (std::int64_t{2} << 32);
inline constexpr std::int64_t kCounterSource = kGlobalVid | (std::int64_t{4} << 32);

// Numbers of ENUM_NSYS_GENERIC_EVENT_GROUP.
enum class GenericGroup : std::int64_t { kUnknown = 0, kFtrace = 1 };

// Writes the row of a source, whose times are those of the session.
inline void add_generic_source(report::ReportWriter& writer, std::int64_t source,
                               std::string_view name, GenericGroup group = GenericGroup::kUnknown) {
  constexpr std::int64_t kSessionNs = 3;  // ENUM_NSYS_GENERIC_EVENT_SOURCE
  writer.add("GENERIC_EVENT_SOURCES", {source, std::int64_t{writer.string_id(name)}, kSessionNs,
                                       static_cast<std::int64_t>(group), nullptr, nullptr, nullptr,
                                       nullptr, nullptr, nullptr, nullptr});
}

}  // namespace prof::ingest
