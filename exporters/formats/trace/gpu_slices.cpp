#include "exporters/formats/trace/gpu_slices.hpp"

#include <fmt/format.h>

#include <iterator>

#include "exporters/analysis/events/kernels.hpp"
#include "exporters/analysis/events/memory/memory_operations.hpp"

namespace prof::formats {

namespace {

constexpr report::ScanColumn kStreamColumns[] = {"globalPid", "deviceId", "contextId", "streamId",
                                                 "correlationId"};
constexpr int kNode = 5;  // number of the column with the node of a graph
constexpr int kMore = 6;  // number of the first column after the common ones

// Returns the columns of a kind of work, which follow the columns of its stream.
report::ScanColumns columns_of(const report::ReportReader& reader, const GpuTable& table) {
  // The kinds of memory are part of names. Old exports lack them.
  const auto memory = [&](const char* name) {
    return report::column_or(reader, table.table, name);
  };
  switch (table.kind) {
    case GpuWorkKind::kKernel:
      return {"demangledName",
              "gridX",
              "gridY",
              "gridZ",
              "blockX",
              "blockY",
              "blockZ",
              "registersPerThread",
              "staticSharedMemory",
              "dynamicSharedMemory"};
    case GpuWorkKind::kCopy:
      return {"bytes", "copyKind", memory("srcKind"), memory("dstKind")};
    case GpuWorkKind::kFill:
      return {"bytes", memory("memKind")};
    case GpuWorkKind::kGraph:
      break;
  }
  return {"graphId"};
}

// The directions in the order of ENUM_CUDA_MEMCPY_OPER.
constexpr const char* kDirections[] = {"?",    "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD",
                                       "DtoA", "DtoD", "HtoH", "PtoP", "HtoD", "DtoH", "DtoD"};

}  // namespace

std::uint64_t GpuSlices::Hash::operator()(const KernelLaunch& launch) const {
  std::uint64_t hash = static_cast<std::uint32_t>(launch.registers);
  const auto add = [&](std::int32_t value) {
    hash = (hash ^ (hash >> 29)) * 0xbf58476d1ce4e5b9u + static_cast<std::uint32_t>(value);
  };
  for (const std::int32_t value : launch.grid) add(value);
  for (const std::int32_t value : launch.block) add(value);
  add(launch.shared_memory);
  add(launch.capture);
  return hash;
}

std::uint32_t GpuSlices::stream_number(const GpuStream& stream) {
  if (last_ < streams_.size() && streams_[last_] == stream) return last_;
  const auto [at, is_new] =
      numbers_.try_emplace(stream, static_cast<std::uint32_t>(streams_.size()));
  if (is_new) streams_.push_back(stream);
  return last_ = at->second;
}

Slice GpuSlices::slice(const events::Times& times, const report::Row& row, std::uint32_t name,
                       std::uint32_t details) {
  const std::uint32_t stream =
      stream_number({row.integer(0), row.integer(1), row.integer(2), row.integer(3)});
  return {times.start, times.end, stream, name, row.integer_or(4, kNoCorrelation), details};
}

base::Status GpuSlices::read_captures(events::RangeOf range_of) {
  if (range_of == events::RangeOf::kLaunch || !reader_.has_table(events::kGraphNodeTable))
    return {};
  auto captures = events::GraphCaptures::read(reader_);
  if (!captures) return tl::make_unexpected(captures.error());
  if (!captures->empty()) captures_ = std::move(*captures);
  return {};
}

// The slices lack the time of the launch, so the start on the GPU stands for it.
std::int32_t GpuSlices::capture(const events::Times& times, const report::Row& row) {
  return captures_ ? captures_->of(row.integer(0), row.integer_or(kNode, 0), times.start)
                   : events::GraphCaptures::kNone;
}

std::uint32_t GpuSlices::kernel_launch(const report::Row& row, int first, std::int32_t capture) {
  return launches_.of({events::dimensions_at(row, first), events::dimensions_at(row, first + 3),
                       static_cast<std::int32_t>(row.integer(first + 6)),
                       static_cast<std::int32_t>(row.integer(first + 7) + row.integer(first + 8)),
                       capture});
}

std::uint32_t GpuSlices::copy_name(const report::Row& row, int first) {
  const std::int64_t kind = row.integer(first);
  if (copy_names_ == CopyNames::kNsys) return names_.of_text(events::memory_operation_name(kind));
  const bool is_known = kind > 0 && kind < static_cast<std::int64_t>(std::size(kDirections));
  return names_.of_text(fmt::format("Memcpy {} ({} -> {})",
                                    kDirections[is_known ? static_cast<std::size_t>(kind) : 0],
                                    events::memory_kind_name(row.integer_or(first + 1, -1)),
                                    events::memory_kind_name(row.integer_or(first + 2, -1))));
}

std::uint32_t GpuSlices::fill_name(const report::Row& row, int first) {
  if (copy_names_ == CopyNames::kNsys)
    return names_.of_text(events::memory_operation_name(events::kMemset));
  return names_.of_text(
      fmt::format("Memset ({})", events::memory_kind_name(row.integer_or(first, -1))));
}

base::Status GpuSlices::visit(const GpuTable& table,
                              const std::function<void(const Slice&)>& visit) {
  report::ScanColumns columns(std::begin(kStreamColumns), std::end(kStreamColumns));
  columns.push_back(captures_ ? report::column_or(reader_, table.table, "graphNodeId")
                              : report::ScanColumn::null());
  columns = std::move(columns) + columns_of(reader_, table);
  const auto make = [&](const events::Times& times, const report::Row& row) {
    switch (table.kind) {
      case GpuWorkKind::kKernel:
        return slice(times, row, names_.of_id(row.integer(kMore)),
                     kernel_launch(row, kMore + 1, capture(times, row)));
      case GpuWorkKind::kCopy:
        return slice(times, row, copy_name(row, kMore + 1),
                     memory_operations_.of({row.integer(kMore), capture(times, row)}));
      case GpuWorkKind::kFill:
        return slice(times, row, fill_name(row, kMore + 1),
                     memory_operations_.of({row.integer(kMore), capture(times, row)}));
      case GpuWorkKind::kGraph:
        break;
    }
    return slice(times, row, names_.of_text(fmt::format("CUDA graph {}", row.integer(kMore))), 0);
  };
  return for_each_slice(reader_, {{table.table, columns}}, make, visit);
}

}  // namespace prof::formats
