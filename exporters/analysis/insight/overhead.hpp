// The times of the profiler's own overhead.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/insight/intervals.hpp"

namespace prof::insight {

// By process_of(). Not sorted; the times of several threads may overlap.
using Overhead = std::map<std::int64_t, std::vector<Interval>>;

base::Result<Overhead> read_overhead(const report::ReportReader& reader);

}  // namespace prof::insight
