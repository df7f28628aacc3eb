// cuda_gpu_mem_time_sum and cuda_gpu_mem_size_sum: copies and fills of GPU memory by direction.
#include "exporters/analysis/events/memory_operations.hpp"
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

}  // namespace

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
