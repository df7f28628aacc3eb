#include "exporters/formats/trace/gpu_tables.hpp"

#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/memory/memory_operations.hpp"

namespace prof::formats {

std::vector<GpuTable> gpu_tables(const report::ReportReader& reader) {
  constexpr GpuTable kTables[] = {
      {events::kKernelTable, "Kernels", GpuWorkKind::kKernel},
      {events::kMemcpyTable, "Copies", GpuWorkKind::kCopy},
      {events::kMemsetTable, "Fills", GpuWorkKind::kFill},
      {events::kGraphTable, "Graphs", GpuWorkKind::kGraph},
  };
  std::vector<GpuTable> found;
  for (const GpuTable& table : kTables)
    if (reader.has_table(table.table)) found.push_back(table);
  return found;
}

}  // namespace prof::formats
