#include "exporters/analysis/insight/occupancy/gpu_limits.hpp"

#include <algorithm>
#include <initializer_list>
#include <string>

#include "exporters/analysis/events/rows.hpp"

namespace prof::insight {

namespace {

constexpr const char* kGpuTable = "TARGET_INFO_GPU";
constexpr const char* kContextTable = "TARGET_INFO_CUDA_CONTEXT_INFO";
constexpr const char* kDeviceTable = "TARGET_INFO_CUDA_DEVICE";

constexpr auto kColumns = {"computeMajor",  "computeMinor",   "smCount",           "threadsPerWarp",
                           "maxWarpsPerSm", "maxBlocksPerSm", "maxRegistersPerSm", "maxShmemPerSm"};

std::string limit_columns() {
  std::string result;
  for (const char* column : kColumns) result += std::string(", g.") + column;
  return result;
}

GpuLimits limits_at(const report::Statement& row, int column) {
  const auto next = [&] { return static_cast<int>(row.integer(column++)); };
  return {next(), next(), next(), next(), next(), next(), next(), next()};
}

}  // namespace

base::Result<GpuLimitsTable> GpuLimitsTable::read(const report::ReportReader& reader) {
  GpuLimitsTable table;
  const bool has_limits = std::all_of(kColumns.begin(), kColumns.end(), [&](const char* column) {
    return reader.has_column(kGpuTable, column);
  });
  if (!has_limits) return table;
  const std::string gpus = limit_columns() + " FROM TARGET_INFO_GPU AS g";
  base::Status read;
  if (reader.has_table(kDeviceTable))
    read = events::for_each_row(
        reader,
        "SELECT d.pid, d.cudaId" + gpus + " JOIN TARGET_INFO_CUDA_DEVICE AS d ON g.id = d.gpuId",
        [&](const report::Statement& row) {
          table.by_process_.try_emplace({row.integer(0), row.integer(1)}, limits_at(row, 2));
        });
  // Exports from before 2025 lack the table of the devices that a process sees.
  if (read && reader.has_column(kGpuTable, "cuDevice"))
    read =
        events::for_each_row(reader, "SELECT g.cuDevice" + gpus + " WHERE g.cuDevice IS NOT NULL",
                             [&](const report::Statement& row) {
                               table.by_number_.try_emplace(row.integer(0), limits_at(row, 1));
                             });
  if (read) read = table.read_green_contexts(reader);
  if (!read) return tl::make_unexpected(read.error());
  return table;
}

base::Status GpuLimitsTable::read_green_contexts(const report::ReportReader& reader) {
  if (!reader.has_column(kContextTable, "numMultiprocessors")) return {};
  return events::for_each_row(
      reader,
      "SELECT processId, contextId, numMultiprocessors FROM TARGET_INFO_CUDA_CONTEXT_INFO "
      "WHERE isGreenContext AND numMultiprocessors > 0",
      [&](const report::Statement& row) {
        green_contexts_[{row.integer(0), row.integer(1)}] = static_cast<int>(row.integer(2));
      });
}

GpuLimits GpuLimitsTable::of(std::int64_t pid, std::int64_t device,
                             std::int64_t green_context) const {
  GpuLimits limits = of_device(pid, device);
  if (green_context == 0) return limits;
  const auto found = green_contexts_.find({pid, green_context});
  if (found != green_contexts_.end() && found->second < limits.multiprocessors)
    limits.multiprocessors = found->second;
  return limits;
}

GpuLimits GpuLimitsTable::of_device(std::int64_t pid, std::int64_t device) const {
  if (const auto own = by_process_.find({pid, device}); own != by_process_.end())
    return own->second;
  const auto any = by_number_.find(device);
  return any == by_number_.end() ? GpuLimits{} : any->second;
}

}  // namespace prof::insight
