// Finds the innermost NVTX push/pop range around each CUDA API call, on the thread of the call.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/api_calls.hpp"
#include "exporters/analysis/events/nvtx/range_names.hpp"

namespace prof::events {

class LaunchRanges {
 public:
  static constexpr std::int32_t kNone = -1;

  static base::Result<LaunchRanges> read(const report::ReportReader& reader);

  // Returns the range around the call that launched an operation of this process: a number for
  // text(), or kNone. Ranges with the same name have the same number.
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
  void match_calls(const std::vector<Range>& ranges);

  ApiCalls calls_;
  std::vector<std::int32_t> around_;  // by index in calls_
  RangeNames texts_;
};

}  // namespace prof::events
