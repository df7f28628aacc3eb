// The critical path of a job: it goes from rank to rank where a collective operation waited for the
// last rank that came.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "exporters/analysis/path/path_events.hpp"
#include "exporters/analysis/path/path_sums.hpp"
#include "exporters/analysis/tables/table.hpp"
#include "exporters/ranks/collectives/job_collectives.hpp"
#include "exporters/ranks/job_plan.hpp"

namespace prof::ranks {

struct RankPathSum {
  Unit unit;
  path::PathSum sum;
};

// A part of the path that one rank holds.
struct PathPiece {
  std::int64_t start = 0;     // ns, on the common clock
  std::int64_t duration = 0;  // ns
  std::size_t unit = 0;       // index into JobPath::units
  std::size_t report = 0;     // index into the reports of the job
  path::PathEvent event;      // on the report's clock
};

struct JobPath {
  std::vector<Unit> units;        // the ranks on the path
  std::vector<PathPiece> pieces;  // in the order of time; without gaps
  std::vector<RankPathSum> sums;  // largest first; their times add up to `elapsed`
  path::PathBy by = path::PathBy::kWork;
  std::int64_t begin = 0;    // ns, on the common clock
  std::int64_t elapsed = 0;  // ns, from the first event of all reports to the last one
};

// Returns the path over the reports, whose operations are `collectives`. Reports of more bytes
// together are not kept in memory: those that the path visits are read twice.
inline constexpr std::uintmax_t kKeptBytes = 256 << 20;
base::Result<JobPath> find_job_path(const std::vector<PlannedReport>& reports,
                                    const JobCollectives& collectives, path::PathBy by,
                                    const FilterOf& filter_of,
                                    std::uintmax_t kept_bytes = kKeptBytes);

// Returns the columns of the statistic of one report, with the rank, and its report if it has none.
tables::Table table_of(const JobPath& path);

}  // namespace prof::ranks
