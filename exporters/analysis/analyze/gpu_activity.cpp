#include "exporters/analysis/analyze/gpu_activity.hpp"

#include <algorithm>
#include <string>

#include "exporters/analysis/events/kernels.hpp"
#include "exporters/analysis/events/memory/memory_operations.hpp"
#include "exporters/analysis/events/rows.hpp"

namespace prof::analyze {

namespace {

void add(GpuActivity& activity, const Interval& operation, const report::Row& row) {
  const std::int64_t context = row.integer(2);
  const auto [at, is_new] = activity.try_emplace({row.integer(0), row.integer(1)},
                                                 DeviceActivity{{}, context, operation});
  DeviceActivity& device = at->second;
  device.operations.push_back(operation);
  device.context = std::min(device.context, context);
  device.range = {std::min(device.range.start, operation.start),
                  std::max(device.range.end, operation.end)};
}

}  // namespace

base::Result<GpuActivity> read_gpu_activity(const report::ReportReader& reader) {
  GpuActivity activity;
  for (const char* table : {events::kKernelTable, events::kMemcpyTable, events::kMemsetTable}) {
    if (!reader.has_table(table)) continue;
    const base::Status read =
        events::for_each_event(reader, {table, {"globalPid", "deviceId", "contextId"}},
                               [&](const events::Times& times, const report::Row& row) {
                                 add(activity, {times.start, times.end}, row);
                               });
    if (!read) return tl::make_unexpected(read.error());
  }
  return activity;
}

void number_rows(tables::Table& table) {
  table.columns.insert(table.columns.begin(), {"Row#", tables::CellKind::kInteger});
  std::int64_t number = 0;
  for (auto& row : table.rows) row.insert(row.begin(), ++number);
}

}  // namespace prof::analyze
