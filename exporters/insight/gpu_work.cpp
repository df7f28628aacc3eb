#include "exporters/insight/gpu_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "exporters/stats/event_tables.hpp"
#include "exporters/stats/kernels.hpp"
#include "exporters/stats/memory_operations.hpp"
#include "exporters/stats/rows.hpp"

namespace prof::insight {

base::Result<GpuWork> GpuWork::read(const report::ReportReader& reader) {
  GpuWork work(reader);
  for (const auto part : {&GpuWork::read_kernels, &GpuWork::read_memory, &GpuWork::read_graphs})
    if (const base::Status done = (work.*part)(reader); !done)
      return tl::make_unexpected(done.error());
  work.sort();
  return work;
}

base::Status GpuWork::read_kernels(const report::ReportReader& reader) {
  if (!reader.has_table(stats::kKernelTable)) return {};
  return stats::for_each_row(
      reader,
      std::string("SELECT start, end, globalPid, deviceId, streamId, correlationId, demangledName "
                  "FROM ") +
          stats::kKernelTable,
      [&](const report::Statement& row) {
        const std::int64_t name = row.integer(6);
        const auto [kind, is_new] = kinds_.try_emplace(name);
        if (is_new) kind->second = kind_of_kernel(strings_.text(name));
        add(row.integer(2), row.integer(3),
            {row.integer(0), row.integer(1), name, 0, row.integer(5),
             static_cast<std::int32_t>(row.integer(4)), 0, WorkKind::kKernel,
             kind->second.communication, 0, 0});
      });
}

base::Status GpuWork::read_memory(const report::ReportReader& reader) {
  struct Table {
    const char* name;
    WorkKind kind;
    const char* columns;
  };
  for (const Table& table :
       {Table{stats::kMemcpyTable, WorkKind::kCopy, "copyKind, srcKind, dstKind"},
        Table{stats::kMemsetTable, WorkKind::kFill, "-1, 0, memKind"}}) {
    if (!reader.has_table(table.name)) continue;
    const base::Status read = stats::for_each_row(
        reader,
        fmt::format("SELECT start, end, globalPid, deviceId, streamId, correlationId, bytes, {} "
                    "FROM {}",
                    table.columns, table.name),
        [&](const report::Statement& row) {
          add(row.integer(2), row.integer(3),
              {row.integer(0), row.integer(1), row.integer(7), row.integer(6), row.integer(5),
               static_cast<std::int32_t>(row.integer(4)), 0, table.kind, false,
               static_cast<std::uint8_t>(row.integer(8)),
               static_cast<std::uint8_t>(row.integer(9))});
        });
    if (!read) return read;
  }
  return {};
}

base::Status GpuWork::read_graphs(const report::ReportReader& reader) {
  if (!reader.has_table(stats::kGraphTable)) return {};
  return stats::for_each_row(
      reader,
      std::string("SELECT start, end, globalPid, deviceId, streamId, correlationId, graphExecId "
                  "FROM ") +
          stats::kGraphTable,
      [&](const report::Statement& row) {
        add(row.integer(2), row.integer(3),
            {row.integer(0), row.integer(1), row.integer(6), 0, row.integer(5),
             static_cast<std::int32_t>(row.integer(4)), 0, WorkKind::kGraph, false, 0, 0});
      });
}

void GpuWork::add(std::int64_t global_pid, std::int64_t device, Operation operation) {
  const auto at = std::find_if(devices_.begin(), devices_.end(), [&](const Device& each) {
    return each.global_pid == global_pid && each.number == device;
  });
  operation.device = static_cast<std::uint16_t>(at - devices_.begin());
  if (at == devices_.end()) devices_.push_back({global_pid, device});
  operations_.push_back(operation);
}

// Devices by process and number, whatever was seen first.
void GpuWork::sort() {
  std::vector<std::uint16_t> order(devices_.size());
  std::iota(order.begin(), order.end(), std::uint16_t{0});
  std::sort(order.begin(), order.end(), [&](std::uint16_t a, std::uint16_t b) {
    return std::pair(devices_[a].global_pid, devices_[a].number) <
           std::pair(devices_[b].global_pid, devices_[b].number);
  });
  std::vector<Device> devices;
  std::vector<std::uint16_t> place(order.size());
  for (const std::uint16_t old : order) {
    place[old] = static_cast<std::uint16_t>(devices.size());
    devices.push_back(devices_[old]);
  }
  devices_ = std::move(devices);
  for (Operation& each : operations_) each.device = place[each.device];
  std::sort(operations_.begin(), operations_.end(), [](const Operation& a, const Operation& b) {
    return std::tie(a.device, a.start, a.end) < std::tie(b.device, b.start, b.end);
  });
  firsts_.assign(devices_.size() + 1, operations_.size());
  for (std::size_t i = operations_.size(); i-- > 0;) firsts_[operations_[i].device] = i;
}

Interval GpuWork::span(std::size_t device) const {
  Interval result = begin(device)->interval();
  for (const Operation* each = begin(device); each != end(device); ++each)
    result.end = std::max(result.end, each->end);
  return result;
}

std::string GpuWork::name_of(const Operation& operation) const {
  switch (operation.kind) {
    case WorkKind::kKernel:
      return strings_.text(operation.name);
    case WorkKind::kCopy:
      return stats::memory_operation_name(operation.name);
    case WorkKind::kFill:
      return stats::memory_operation_name(stats::kMemset);
    case WorkKind::kGraph:
      break;
  }
  return fmt::format("[CUDA graph {}]", operation.name);
}

}  // namespace prof::insight
