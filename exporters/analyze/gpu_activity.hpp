// When the GPUs work, by process and device.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "collector/base/result.hpp"
#include "collector/report/report_reader.hpp"
#include "exporters/insight/intervals.hpp"
#include "exporters/tables/table.hpp"

namespace prof::analyze {

using insight::Interval;

// The kernels, copies and fills of one process on one device.
struct DeviceActivity {
  std::vector<Interval> operations;  // at least one, in no order
  std::int64_t context;              // the least of its contexts
  Interval range;                    // from the first operation to the end of the last
};

// By global process id and device.
using GpuActivity = std::map<std::pair<std::int64_t, std::int64_t>, DeviceActivity>;

// Graphs that were traced as wholes do not count, as with nsys.
base::Result<GpuActivity> read_gpu_activity(const report::ReportReader& reader);

// Puts a column of numbers in front: Row#.
void number_rows(tables::Table& table);

}  // namespace prof::analyze
