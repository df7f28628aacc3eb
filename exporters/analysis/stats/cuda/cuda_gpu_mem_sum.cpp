// cuda_gpu_mem_time_sum and cuda_gpu_mem_size_sum: copies and fills of GPU memory by direction.
#include "exporters/analysis/events/memory_operations.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/duration_summary.hpp"

namespace prof::stats {

namespace {

constexpr double kMegabyteOfSum = 1e6;
constexpr int kMegabyteDecimals = 3;

std::vector<tables::ColumnSpec> size_columns() {
  std::vector<tables::ColumnSpec> columns;
  for (const char* header :
       {"Total (MB)", "Count", "Avg (MB)", "Med (MB)", "Min (MB)", "Max (MB)", "StdDev (MB)"})
    columns.push_back({header, tables::CellKind::kReal, kMegabyteDecimals});
  columns[1] = {"Count", tables::CellKind::kInteger};
  columns.push_back({"Operation", tables::CellKind::kText});
  return columns;
}

}  // namespace

base::Result<tables::Table> cuda_gpu_mem_time_sum(const report::ReportReader& reader,
                                                  const Arguments&) {
  DurationGroups<std::int64_t> groups;
  const base::Status read =
      events::for_each_memory_operation(reader, [&](const events::MemoryOperation& operation) {
        groups.add(operation.kind, operation.duration);
      });
  if (!read) return tl::make_unexpected(read.error());
  return summary_table(groups, "Count", {"Operation"}, [](std::int64_t kind) {
    return std::vector<std::string>{events::memory_operation_name(kind)};
  });
}

base::Result<tables::Table> cuda_gpu_mem_size_sum(const report::ReportReader& reader,
                                                  const Arguments&) {
  DurationGroups<std::int64_t> groups;  // groups of bytes; sizes are summarized like durations
  const base::Status read =
      events::for_each_memory_operation(reader, [&](const events::MemoryOperation& operation) {
        groups.add(operation.kind, operation.bytes);
      });
  if (!read) return tl::make_unexpected(read.error());
  const auto megabytes = [](auto bytes) { return static_cast<double>(bytes) / kMegabyteOfSum; };
  tables::Table table{size_columns(), {}};
  for (const auto& [kind, sizes, percent] : groups.summarise())
    table.rows.push_back({megabytes(sizes.total), sizes.count, megabytes(sizes.average),
                          megabytes(sizes.median), megabytes(sizes.minimum),
                          megabytes(sizes.maximum), megabytes(sizes.deviation),
                          events::memory_operation_name(kind)});
  sort_ties(table, 0);
  return table;
}

}  // namespace prof::stats
