// cuda_gpu_mem_time_sum and cuda_gpu_mem_size_sum: copies and fills of GPU memory by direction.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "exporters/analysis/events/memory/memory_operations.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/duration_summary.hpp"
#include "exporters/analysis/stats/value_groups.hpp"

namespace prof::stats {

namespace {

// Collects the times or the sizes of the operations.
base::Result<ValueGroups> operations(const report::ReportReader& reader,
                                     std::int64_t events::MemoryOperation::*value) {
  DurationGroups<std::int64_t> groups;
  const base::Status read =
      events::for_each_memory_operation(reader, [&](const events::MemoryOperation& operation) {
        groups.add(operation.kind, operation.*value);
      });
  if (!read) return tl::make_unexpected(read.error());
  return value_groups(groups, [](std::int64_t kind) {
    return std::vector<std::string>{events::memory_operation_name(kind)};
  });
}

// The same by kind, as a number, and by device.
base::Result<ValueGroups> device_operations(const report::ReportReader& reader,
                                            std::int64_t events::MemoryOperation::*value) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::int64_t>> groups;
  const base::Status read =
      events::for_each_memory_operation(reader, [&](const events::MemoryOperation& operation) {
        groups[{operation.kind, operation.device}].push_back(operation.*value);
      });
  if (!read) return tl::make_unexpected(read.error());
  ValueGroups result;
  for (auto& [key, values] : groups)
    result.push_back({{std::to_string(key.first), std::to_string(key.second)}, std::move(values)});
  return result;
}

}  // namespace

base::Result<ValueGroups> memory_device_times(const report::ReportReader& reader,
                                              const Arguments&) {
  return device_operations(reader, &events::MemoryOperation::duration);
}

base::Result<ValueGroups> memory_device_sizes(const report::ReportReader& reader,
                                              const Arguments&) {
  return device_operations(reader, &events::MemoryOperation::bytes);
}

base::Result<ValueGroups> memory_times(const report::ReportReader& reader, const Arguments&) {
  return operations(reader, &events::MemoryOperation::duration);
}

base::Result<ValueGroups> memory_sizes(const report::ReportReader& reader, const Arguments&) {
  return operations(reader, &events::MemoryOperation::bytes);
}

base::Result<tables::Table> cuda_gpu_mem_time_sum(const report::ReportReader& reader,
                                                  const Arguments& arguments) {
  return table_of(kMemoryTimeSum, memory_times(reader, arguments));
}

base::Result<tables::Table> cuda_gpu_mem_size_sum(const report::ReportReader& reader,
                                                  const Arguments& arguments) {
  return table_of(kMemorySizeSum, memory_sizes(reader, arguments));
}

}  // namespace prof::stats
