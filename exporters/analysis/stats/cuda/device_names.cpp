#include "exporters/analysis/stats/cuda/device_names.hpp"

#include <fmt/format.h>

#include "exporters/analysis/events/rows.hpp"

namespace prof::stats {

base::Result<DeviceNames> DeviceNames::read(const report::ReportReader& reader) {
  DeviceNames names;
  base::Status read;
  if (reader.has_table("TARGET_INFO_GPU") && reader.has_table("TARGET_INFO_CUDA_DEVICE"))
    read = events::for_each_row(
        reader,
        "SELECT d.pid, d.cudaId, g.name FROM TARGET_INFO_CUDA_DEVICE AS d "
        "JOIN TARGET_INFO_GPU AS g ON g.id = d.gpuId",
        [&](const report::Statement& row) {
          names.by_process_.try_emplace({row.integer(0), row.integer(1)}, row.text(2));
        });
  // Exports from before 2025 lack the table of the devices that a process sees. Exports of 2021
  // have another table of GPUs.
  const auto read_all = [&](const char* table, const char* number) {
    if (!read || !reader.has_column(table, number)) return;
    read = events::for_each_row(
        reader, fmt::format("SELECT {0}, name FROM {1} WHERE {0} IS NOT NULL", number, table),
        [&](const report::Statement& row) {
          names.by_number_.try_emplace(row.integer(0), row.text(1));
        });
  };
  read_all("TARGET_INFO_GPU", "cuDevice");
  read_all("TARGET_INFO_CUDA_GPU", "deviceId");
  if (!read) return tl::make_unexpected(read.error());
  return names;
}

std::string DeviceNames::text(std::int64_t pid, std::int64_t device) const {
  const auto own = by_process_.find({pid, device});
  const auto any = by_number_.find(device);
  const char* name = own != by_process_.end()  ? own->second.c_str()
                     : any != by_number_.end() ? any->second.c_str()
                                               : "[Unknown]";
  return fmt::format("{} ({})", name, device);
}

}  // namespace prof::stats
