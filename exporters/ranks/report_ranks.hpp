// The ranks that a report has events of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/event_filter.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/ranks/partial.hpp"

namespace prof::ranks {

struct ReportRank {
  Unit unit;
  std::int64_t attempt = 0;          // how often the job was started again
  std::optional<std::int64_t> size;  // number of ranks of the job
  // globalPids, shifted right by 24 bits, in ascending order. Nothing: all processes of the report.
  std::optional<std::vector<std::int64_t>> processes;
  std::size_t place = 0;  // among the ranks of the report
};

// Returns the ranks of PROF_RANKS; in a report of several ranks also the processes without a rank.
// A report without ranks is one unit without a rank.
base::Result<std::vector<ReportRank>> ranks_of(const report::ReportReader& reader);

// Returns the index of the rank that a process belongs to.
std::optional<std::size_t> place_of(const std::vector<ReportRank>& ranks, std::int64_t global_pid);

// Selects the events of these ranks of a report.
report::EventFilter filter_of(const std::vector<ReportRank>& ranks);

}  // namespace prof::ranks
