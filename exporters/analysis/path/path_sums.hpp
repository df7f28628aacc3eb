// Sums up a critical path by kernel, call, range or whatever else the time can be charged to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/path/backward_walk.hpp"
#include "exporters/analysis/path/path_by.hpp"

namespace prof::path {

struct PathSum {
  SegmentKind kind;  // with PathBy::kWork; otherwise that of the longest piece
  std::string name;
  std::int64_t time = 0;   // ns
  std::int64_t count = 0;  // number of pieces
};

// Returns the sums, largest first. The sum of their times is the length of the path.
// `durations` are those of the segments on another clock, if they are not empty.
base::Result<std::vector<PathSum>> sum_path(const report::ReportReader& reader,
                                            const ExecutionModel& model,
                                            const std::vector<Segment>& path, PathBy by,
                                            const std::vector<std::int64_t>& durations = {});

}  // namespace prof::path
