// NVTX ranges of a report.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/range_names.hpp"

namespace prof::events {

inline constexpr const char* kNvtxTable = "NVTX_EVENTS";

// ENUM_NSYS_EVENT_TYPE
inline constexpr std::int64_t kPushPopRange = 59;
inline constexpr std::int64_t kStartEndRange = 60;

struct NvtxRange {
  std::int64_t id;  // rowid; the same as nsys's RangeId
  std::int64_t type;
  std::int64_t start;
  std::int64_t end;
  std::int64_t global_tid;
  bool one_thread;    // began and ended on the same thread
  std::int32_t name;  // a number in RangeNames

  std::int64_t duration() const { return end - start; }  // ns
};

// "PushPop" or "StartEnd"
const char* range_style(std::int64_t type);

// Calls `visit` for every range. One that never ended counts up to the latest time in the table, as
// in nsys, and is visited after the others.
base::Status for_each_range(const report::ReportReader& reader, RangeNames& names,
                            const std::function<void(const NvtxRange&)>& visit);
// For statistics that need only the name and the duration: takes two thirds of the time.
base::Status for_each_range_time(
    const report::ReportReader& reader, RangeNames& names,
    const std::function<void(std::int64_t type, std::int32_t name, std::int64_t duration)>& visit);

// The same for a report with weights: how many ranges each one stands for.
base::Status for_each_weighted_range(
    const report::ReportReader& reader, RangeNames& names,
    const std::function<void(std::int64_t type, std::int32_t name, std::int64_t duration,
                             std::int64_t weight)>& visit);

struct OpenRanges {
  std::string name;
  std::int64_t count;
};
// Ranges that never ended, by name, most first.
base::Result<std::vector<OpenRanges>> open_ranges(const report::ReportReader& reader);

}  // namespace prof::events
