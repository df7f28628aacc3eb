// um_cpu_page_faults_sum: page faults of the CPU on unified memory, by the faulting instruction.
#include "exporters/stats/catalog.hpp"
#include "exporters/stats/events/event_tables.hpp"
#include "exporters/stats/events/rows.hpp"

namespace prof::stats {

base::Result<Table> um_cpu_page_faults_sum(const report::ReportReader& reader, const Arguments&) {
  // Exports have the source's place since 2024.
  const bool has_source = reader.has_column(kCpuFaultTable, "sourceFile");
  Table table{
      {{"CPU Page Faults", CellKind::kInteger}, {"CPU Instruction Address", CellKind::kText}}, {}};
  std::string query =
      "SELECT count(*), (SELECT value FROM StringIds WHERE id = CpuInstruction) AS instruction";
  if (has_source) {
    table.columns.push_back({"Source File", CellKind::kText});
    table.columns.push_back({"Source Line", CellKind::kInteger});
    query += ", (SELECT value FROM StringIds WHERE id = sourceFile) AS file, sourceLine";
  }
  query += std::string(" FROM ") + kCpuFaultTable + " GROUP BY CpuInstruction" +
           (has_source ? ", sourceFile, sourceLine" : "") + " ORDER BY 1 DESC, 2";
  const base::Status read = for_each_row(reader, query, [&](const report::Statement& row) {
    auto& cells = table.rows.emplace_back();
    cells.emplace_back(row.integer(0));
    cells.emplace_back(std::string(row.text(1)));
    if (!has_source) return;
    cells.push_back(row.is_null(2) ? Cell{} : Cell{std::string(row.text(2))});
    cells.push_back(row.is_null(3) ? Cell{} : Cell{row.integer(3)});
  });
  if (!read) return tl::make_unexpected(read.error());
  return table;
}

}  // namespace prof::stats
