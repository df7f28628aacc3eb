#include "exporters/analysis/insight/metrics/physical_gpus.hpp"

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/rows.hpp"

namespace prof::insight {

base::Result<PhysicalGpus> PhysicalGpus::read(const report::ReportReader& reader) {
  PhysicalGpus gpus;
  if (!reader.has_table("TARGET_INFO_CUDA_DEVICE")) return gpus;
  const base::Status read = events::for_each_row(
      reader, "SELECT pid, cudaId, gpuId FROM TARGET_INFO_CUDA_DEVICE",
      [&](const report::Statement& row) {
        gpus.ids_.try_emplace({row.integer(0), row.integer(1)}, row.integer(2));
      });
  if (!read) return tl::make_unexpected(read.error());
  return gpus;
}

std::int64_t PhysicalGpus::of(const Device& device) const {
  const auto found = ids_.find({events::pid_of(device.global_pid), device.number});
  return found == ids_.end() ? device.number : found->second;
}

}  // namespace prof::insight
