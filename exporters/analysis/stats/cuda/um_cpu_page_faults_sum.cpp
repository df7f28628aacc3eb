// um_cpu_page_faults_sum: CPU page faults in unified memory, by the faulting instruction.
#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/stats/catalog.hpp"

namespace prof::stats {

base::Result<tables::Table> um_cpu_page_faults_sum(const report::ReportReader& reader,
                                                   const Arguments&) {
  // Exports have source file and line since 2024.
  const bool has_source = reader.has_column(events::kCpuFaultTable, "sourceFile");
  tables::Table table{{{"CPU Page Faults", tables::CellKind::kInteger},
                       {"CPU Instruction Address", tables::CellKind::kText}},
                      {}};
  std::string query =
      "SELECT count(*), (SELECT value FROM StringIds WHERE id = CpuInstruction) AS instruction";
  if (has_source) {
    table.columns.push_back({"Source File", tables::CellKind::kText});
    table.columns.push_back({"Source Line", tables::CellKind::kInteger});
    query += ", (SELECT value FROM StringIds WHERE id = sourceFile) AS file, sourceLine";
  }
  query += std::string(" FROM ") + events::kCpuFaultTable + " GROUP BY CpuInstruction" +
           (has_source ? ", sourceFile, sourceLine" : "") + " ORDER BY 1 DESC, 2";
  const base::Status read = events::for_each_row(reader, query, [&](const report::Statement& row) {
    auto& cells = table.rows.emplace_back();
    cells.emplace_back(row.integer(0));
    cells.emplace_back(std::string(row.text(1)));
    if (!has_source) return;
    cells.push_back(row.is_null(2) ? tables::Cell{} : tables::Cell{std::string(row.text(2))});
    cells.push_back(row.is_null(3) ? tables::Cell{} : tables::Cell{row.integer(3)});
  });
  if (!read) return tl::make_unexpected(read.error());
  return table;
}

}  // namespace prof::stats
