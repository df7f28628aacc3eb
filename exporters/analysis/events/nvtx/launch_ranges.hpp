// Finds the innermost NVTX push/pop range of GPU operations: around the CUDA API call that launched
// the operation, on the thread of the call, or around the capture of its node of a graph.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/api_calls.hpp"
#include "exporters/analysis/events/graph_nodes.hpp"
#include "exporters/analysis/events/nvtx/range_names.hpp"

namespace prof::events {

class LaunchRanges {
 public:
  static constexpr std::int32_t kNone = -1;

  static base::Result<LaunchRanges> read(const report::ReportReader& reader, RangeOf range_of);

  // Returns the range of an operation of this process: a number for text(), or kNone. Ranges with
  // the same name have the same number. `graph_node` is 0 if the operation is not in a graph.
  std::int32_t of(std::int64_t global_pid, std::int64_t correlation,
                  std::int64_t graph_node = 0) const;
  const std::string& text(std::int32_t range) const { return texts_.text(range); }

 private:
  LaunchRanges(const report::ReportReader& reader, RangeOf range_of)
      : range_of_(range_of), texts_(reader, RangeNames::Show::kText) {}

  struct Range {
    std::int64_t global_tid;
    std::int64_t start;
    std::int64_t end;
    std::int32_t text;
  };

  // A call, or the moment at which a node was captured.
  struct Point {
    std::int64_t global_tid;
    std::int64_t start;
    std::int64_t end;
  };

  base::Result<std::vector<Range>> read_ranges(const report::ReportReader& reader);
  static std::vector<std::int32_t> around(const std::vector<Range>& ranges,
                                          const std::vector<Point>& points);

  RangeOf range_of_;
  ApiCalls calls_;
  GraphNodes nodes_;
  std::vector<std::int32_t> of_call_;    // by index in calls_
  std::vector<std::int32_t> of_origin_;  // by origin in nodes_
  RangeNames texts_;
};

}  // namespace prof::events
