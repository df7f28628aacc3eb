// For each CUDA API call the innermost NVTX push/pop range around it on its thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collector/base/result.hpp"
#include "collector/report/report_reader.hpp"
#include "exporters/events/api_calls.hpp"
#include "exporters/events/range_names.hpp"

namespace prof::events {

class LaunchRanges {
 public:
  static constexpr std::int32_t kNone = -1;

  static base::Result<LaunchRanges> read(const report::ReportReader& reader);

  // Of the call that launched an operation of this process: a number for text(), or kNone. Ranges
  // of one name have one number.
  std::int32_t around(std::int64_t global_pid, std::int64_t correlation) const;
  const std::string& text(std::int32_t range) const { return texts_.text(range); }

 private:
  explicit LaunchRanges(const report::ReportReader& reader)
      : texts_(reader, RangeNames::Show::kText) {}

  struct Range {
    std::int64_t global_tid;
    std::int64_t start;
    std::int64_t end;
    std::int32_t text;
  };

  base::Result<std::vector<Range>> read_ranges(const report::ReportReader& reader);
  void find(const std::vector<Range>& ranges);

  ApiCalls calls_;
  std::vector<std::int32_t> around_;  // of each call in calls_
  RangeNames texts_;
};

}  // namespace prof::events
