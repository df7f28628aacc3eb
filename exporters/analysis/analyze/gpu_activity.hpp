// Reads the times in which the GPUs are busy, by process and device.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/insight/intervals.hpp"
#include "exporters/analysis/tables/table.hpp"

namespace prof::analyze {

using insight::Interval;

// The kernels, copies and fills of one process on one device.
struct DeviceActivity {
  std::vector<Interval> operations;  // not empty, not sorted
  std::int64_t context;              // the smallest context id
  Interval range;                    // from the first start to the last end of an operation
};

// The activity by globalPid and device number.
using GpuActivity = std::map<std::pair<std::int64_t, std::int64_t>, DeviceActivity>;

// Reads the activity. Whole-graph traces do not count, as in nsys.
base::Result<GpuActivity> read_gpu_activity(const report::ReportReader& reader);

// Inserts the column Row# in front of the others.
void number_rows(tables::Table& table);

}  // namespace prof::analyze
