#include "exporters/analysis/insight/gpu_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/memory/memory_operations.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/sums.hpp"

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
  const auto column = [&](const char* name) {
    return report::column_or(reader, events::kKernelTable, name, ScanColumn::constant(0));
  };
  return events::for_each_event(
      reader,
      {events::kKernelTable,
       with_own({"demangledName", column("gridX"), column("gridY"), column("gridZ")})},
      [&](const events::Times& times, const report::Row& row) {
        const std::int64_t name = row.integer_or(kOwn, events::Strings::kNone);
        add(times, row,
            {.kind = WorkKind::kKernel,
             .name = name,
             .size = events::product(events::product(row.integer(kOwn + 1), row.integer(kOwn + 2)),
                                     row.integer(kOwn + 3)),
             .communication = kernel_kind(name).communication});
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
          add(times, row,
              {.kind = table.kind,
               .name = row.integer(kOwn + 1),
               .size = row.integer(kOwn),
               .source = static_cast<std::uint8_t>(row.integer(kOwn + 2)),
               .destination = static_cast<std::uint8_t>(row.integer(kOwn + 3))});
        });
    if (!read) return read;
  }
  return {};
}

base::Status GpuWork::read_graphs(const report::ReportReader& reader) {
  if (!reader.has_table(events::kGraphTable)) return {};
  return events::for_each_event(reader, {events::kGraphTable, with_own({"graphExecId"})},
                                [&](const events::Times& times, const report::Row& row) {
                                  add(times, row,
                                      {.kind = WorkKind::kGraph, .name = row.integer(kOwn)});
                                });
}

// Adds an operation. The row has the columns that all tables have.
void GpuWork::add(const events::Times& times, const report::Row& row, const Details& details) {
  const std::pair key(row.integer(0), row.integer(1));
  const auto [at, is_new] = numbers_.try_emplace(key, static_cast<std::uint32_t>(devices_.size()));
  if (is_new) devices_.push_back({key.first, key.second});
  // These four values are one, because most tables of operations have one combination of them.
  const auto traits = static_cast<std::int64_t>(
      static_cast<std::uint32_t>(details.kind) | std::uint32_t{details.communication} << 8 |
      std::uint32_t{details.source} << 16 | std::uint32_t{details.destination} << 24);
  operations_.add(at->second, times,
                  {details.name, details.size, row.integer(3),
                   static_cast<std::int32_t>(row.integer(2)), traits});
}

Operation GpuWork::at(std::size_t operation) const {
  const auto traits = static_cast<std::uint32_t>(operations_.value(operation, kTraits));
  const std::int64_t size = operations_.value(operation, kSize);
  const auto kind = static_cast<WorkKind>(traits & 0xff);
  const bool is_memory = kind == WorkKind::kCopy || kind == WorkKind::kFill;
  return {operations_.start(operation),
          operations_.end(operation),
          operations_.value(operation, kName),
          is_memory ? size : 0,
          is_memory ? 0 : size,
          operations_.value(operation, kCorrelation),
          static_cast<std::int32_t>(operations_.value(operation, kStream)),
          static_cast<std::uint32_t>(operations_.group(operation)),
          kind,
          (traits >> 8 & 1) != 0,
          static_cast<std::uint8_t>(traits >> 16),
          static_cast<std::uint8_t>(traits >> 24)};
}

void GpuWork::keep(const Interval& time) {
  events::GroupedEvents kept = no_operations();
  std::vector<Device> devices;
  for (std::size_t device = 0; device < devices_.size(); ++device) {
    const events::GroupedEvents::Group& group = operations_.groups()[device];
    bool has_any = false;
    for (std::size_t i = group.first; i < group.end; ++i) {
      const events::Times times{operations_.start(i), operations_.end(i)};
      if (times.start > time.end || times.end < time.start) continue;
      has_any = true;
      kept.add(static_cast<std::int64_t>(devices.size()), times,
               {operations_.value(i, kName), operations_.value(i, kSize),
                operations_.value(i, kCorrelation), operations_.value(i, kStream),
                operations_.value(i, kTraits)});
    }
    if (has_any) devices.push_back(devices_[device]);
  }
  kept.sort();
  operations_ = std::move(kept);
  devices_ = std::move(devices);
}

// Sorts the devices by process and number, and the operations by device and start.
void GpuWork::sort() {
  const auto place = [&](std::int64_t device) {
    const Device& of = devices_[static_cast<std::size_t>(device)];
    return std::pair(of.global_pid, of.number);
  };
  operations_.sort([&](std::int64_t a, std::int64_t b) { return place(a) < place(b); });
  std::vector<Device> devices;
  for (const auto& group : operations_.groups())
    devices.push_back(devices_[static_cast<std::size_t>(group.key)]);
  devices_ = std::move(devices);
}

Interval GpuWork::span(std::size_t device) const {
  const events::GroupedEvents::Group& group = operations_.groups()[device];
  Interval result{operations_.start(group.first), operations_.end(group.first)};
  for (std::size_t i = group.first; i < group.end; ++i)
    result.end = std::max(result.end, operations_.end(i));
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
