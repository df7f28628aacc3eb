// NVTX ranges of a report, each under the name "domain:text" that the reports print.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "collector/base/result.hpp"
#include "collector/report/report_reader.hpp"

namespace prof::stats {

inline constexpr const char* kNvtxTable = "NVTX_EVENTS";

// ENUM_NSYS_EVENT_TYPE
inline constexpr std::int64_t kPushPopRange = 59;
inline constexpr std::int64_t kStartEndRange = 60;

struct NvtxRange {
  std::int64_t id;  // its row, which is nsys's RangeId
  std::int64_t type;
  std::int64_t start;
  std::int64_t end;
  std::int64_t global_tid;
  bool one_thread;        // it ended on the thread that began it
  std::string_view name;  // valid during the callback

  std::int64_t duration() const { return end - start; }  // ns
};

// "PushPop" or "StartEnd"
const char* range_style(std::int64_t type);

// Calls `visit` for every range that has ended.
base::Status for_each_range(const report::ReportReader& reader,
                            const std::function<void(const NvtxRange&)>& visit);

}  // namespace prof::stats
