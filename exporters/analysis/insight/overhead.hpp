// Reads the times in which the profiler's own overhead slowed the program.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/insight/intervals.hpp"

namespace prof::insight {

// Times by process_of(). They are not sorted, and times of different threads may overlap.
using Overhead = std::map<std::int64_t, std::vector<Interval>>;

base::Result<Overhead> read_overhead(const report::ReportReader& reader);

}  // namespace prof::insight
