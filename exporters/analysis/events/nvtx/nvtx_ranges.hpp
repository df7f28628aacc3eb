// Reads the NVTX ranges of a report.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/nvtx/range_names.hpp"

namespace prof::events {

inline constexpr const char* kNvtxTable = "NVTX_EVENTS";
// Ranges in which nodes of CUDA graphs were made while nothing was recorded.
inline constexpr const char* kGraphRangeTable = "PROF_GRAPH_RANGES";

// ENUM_NSYS_EVENT_TYPE
inline constexpr std::int64_t kPushPopRange = 59;
inline constexpr std::int64_t kStartEndRange = 60;

struct NvtxRange {
  std::int64_t id;  // rowid, which is equal to nsys's RangeId
  std::int64_t type;
  std::int64_t start;
  std::int64_t end;
  std::int64_t global_tid;
  bool one_thread;    // the range began and ended on the same thread
  std::int32_t name;  // a number in RangeNames

  std::int64_t duration() const { return end - start; }  // ns
};

// Returns "PushPop" or "StartEnd".
const char* range_style(std::int64_t type);

// Calls `visit` for every range. A range that never ended gets the latest time in the table as its
// end, as in nsys, and is visited after the others.
base::Status for_each_range(const report::ReportReader& reader, RangeNames& names,
                            const std::function<void(const NvtxRange&)>& visit);
// Calls `visit` for every range of kGraphRangeTable, as a push/pop range. Their ids are negative.
base::Status for_each_graph_range(const report::ReportReader& reader, RangeNames& names,
                                  const std::function<void(const NvtxRange&)>& visit);
// Visits only the type, the name and the duration of every range, which takes two thirds of the
// time of for_each_range().
base::Status for_each_range_time(
    const report::ReportReader& reader, RangeNames& names,
    const std::function<void(std::int64_t type, std::int32_t name, std::int64_t duration)>& visit);

// Visits the ranges of a report with weights. A weight is the number of ranges that a range stands
// for.
base::Status for_each_weighted_range(
    const report::ReportReader& reader, RangeNames& names,
    const std::function<void(std::int64_t type, std::int32_t name, std::int64_t duration,
                             std::int64_t weight)>& visit);

struct OpenRanges {
  std::string name;
  std::int64_t count;
};
// Reads the ranges that never ended, grouped by name, with the most frequent name first.
base::Result<std::vector<OpenRanges>> open_ranges(const report::ReportReader& reader);

}  // namespace prof::events
