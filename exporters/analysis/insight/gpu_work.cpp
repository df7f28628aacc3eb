#include "exporters/analysis/insight/gpu_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <numeric>

#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/grouped_sort.hpp"
#include "exporters/analysis/events/memory_operations.hpp"
#include "exporters/analysis/events/rows.hpp"

namespace prof::insight {

using report::ScanColumn;

namespace {

// The columns that all tables have. The table's own columns follow from kOwn on.
report::ScanColumns with_own(std::initializer_list<report::ScanColumn> own) {
  return report::ScanColumns{"globalPid", "deviceId", "streamId", "correlationId"} + own;
}
constexpr int kOwn = 4;

}  // namespace

base::Result<GpuWork> GpuWork::read(const report::ReportReader& reader) {
  GpuWork work(reader);
  for (const auto part : {&GpuWork::read_kernels, &GpuWork::read_memory, &GpuWork::read_graphs})
    if (const base::Status done = (work.*part)(reader); !done)
      return tl::make_unexpected(done.error());
  work.sort();
  return work;
}

base::Status GpuWork::read_kernels(const report::ReportReader& reader) {
  if (!reader.has_table(events::kKernelTable)) return {};
  operations_.reserve(events::max_rows(reader, events::kKernelTable));
  return events::for_each_event(reader, {events::kKernelTable, with_own({"demangledName"})},
                                [&](const events::Times& times, const report::Row& row) {
                                  const std::int64_t name =
                                      row.integer_or(kOwn, events::Strings::kNone);
                                  Operation& added = add(times, row);
                                  added.kind = WorkKind::kKernel;
                                  added.name = name;
                                  added.communication = kernel_kind(name).communication;
                                });
}

base::Status GpuWork::read_memory(const report::ReportReader& reader) {
  struct Table {
    const char* name;
    WorkKind kind;
    report::ScanColumns columns;
  };
  for (const Table& table :
       {Table{events::kMemcpyTable, WorkKind::kCopy,
              with_own({"bytes", "copyKind", "srcKind", "dstKind"})},
        Table{events::kMemsetTable, WorkKind::kFill,
              with_own({"bytes", ScanColumn::constant(-1), ScanColumn::constant(0), "memKind"})}}) {
    if (!reader.has_table(table.name)) continue;
    base::Status read = events::for_each_event(
        reader, {table.name, table.columns},
        [&](const events::Times& times, const report::Row& row) {
          Operation& added = add(times, row);
          added.kind = table.kind;
          added.bytes = row.integer(kOwn);
          added.name = row.integer(kOwn + 1);
          added.source = static_cast<std::uint8_t>(row.integer(kOwn + 2));
          added.destination = static_cast<std::uint8_t>(row.integer(kOwn + 3));
        });
    if (!read) return read;
  }
  return {};
}

base::Status GpuWork::read_graphs(const report::ReportReader& reader) {
  if (!reader.has_table(events::kGraphTable)) return {};
  return events::for_each_event(reader, {events::kGraphTable, with_own({"graphExecId"})},
                                [&](const events::Times& times, const report::Row& row) {
                                  Operation& added = add(times, row);
                                  added.kind = WorkKind::kGraph;
                                  added.name = row.integer(kOwn);
                                });
}

// Appends an operation with the values of the columns that all tables have.
Operation& GpuWork::add(const events::Times& times, const report::Row& row) {
  const std::pair key(row.integer(0), row.integer(1));
  const auto [at, is_new] = numbers_.try_emplace(key, static_cast<std::uint32_t>(devices_.size()));
  if (is_new) devices_.push_back({key.first, key.second});
  Operation operation{};
  operation.start = times.start;
  operation.end = times.end;
  operation.device = at->second;
  operation.stream = static_cast<std::int32_t>(row.integer(2));
  operation.correlation = row.integer(3);
  return operations_.emplace_back(operation);
}

void GpuWork::keep(const Interval& time) {
  std::erase_if(operations_, [&](const Operation& each) {
    return each.start > time.end || each.end < time.start;
  });
  std::vector<std::uint32_t> numbers(devices_.size(), ~0U);
  std::vector<Device> devices;
  firsts_.clear();
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    std::uint32_t& number = numbers[operations_[i].device];
    if (number == ~0U) {
      number = static_cast<std::uint32_t>(devices.size());
      devices.push_back(devices_[operations_[i].device]);
      firsts_.push_back(i);
    }
    operations_[i].device = number;
  }
  firsts_.push_back(operations_.size());
  devices_ = std::move(devices);
}

// Sorts the devices by process and number, and the operations by device and start.
void GpuWork::sort() {
  std::vector<std::uint32_t> order(devices_.size());
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(devices_[a].global_pid, devices_[a].number) <
           std::pair(devices_[b].global_pid, devices_[b].number);
  });
  std::vector<Device> devices;
  std::vector<std::uint32_t> place(order.size());
  for (const std::uint32_t old : order) {
    place[old] = static_cast<std::uint32_t>(devices.size());
    devices.push_back(devices_[old]);
  }
  devices_ = std::move(devices);
  for (Operation& each : operations_) each.device = place[each.device];
  events::sort_grouped(
      operations_, [](const Operation& each) { return each.device; },
      [](const Operation& a, const Operation& b) {
        return std::tie(a.start, a.end) < std::tie(b.start, b.end);
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

const KernelKind& GpuWork::kernel_kind(std::int64_t name) const {
  const auto [kind, is_new] = kinds_.try_emplace(name);
  if (is_new) kind->second = kind_of_kernel(strings_.text(name));
  return kind->second;
}

std::string GpuWork::name_of(const Operation& operation) const {
  switch (operation.kind) {
    case WorkKind::kKernel:
      return strings_.text(operation.name);
    case WorkKind::kCopy:
      return events::memory_operation_name(operation.name);
    case WorkKind::kFill:
      return events::memory_operation_name(events::kMemset);
    case WorkKind::kGraph:
      break;
  }
  return fmt::format("[CUDA graph {}]", operation.name);
}

}  // namespace prof::insight
