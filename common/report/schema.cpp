#include "common/report/schema.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

extern "C" const char prof_empty_report[];  // empty_report.S
extern "C" const char prof_empty_report_end[];
extern "C" const char prof_small_report[];
extern "C" const char prof_small_report_end[];

namespace prof::report {

namespace {

constexpr std::pair<std::string_view, std::string_view> kFiles[] = {
#include "schema_files.inc"
};

using TableColumn = std::pair<std::string_view, std::string_view>;
// Sorted by table and column.
constexpr std::pair<TableColumn, char> kFormats[] = {
#include "column_formats.inc"
};

}  // namespace

std::string_view table_sql(std::string_view table) {
  for (const auto& [name, content] : kFiles)
    if (name == table) return content;
  return {};
}

// The planner may not read the frames before the chains: a condition on the symbol would make it
// parse all chains again for each frame.
std::string_view sample_call_chain_view() {
  return "CREATE VIEW SAMPLING_CALLCHAINS AS\n"
         "SELECT e.id AS id, f.symbol AS symbol, f.module AS module, f.kernelMode AS kernelMode,\n"
         "  f.thumbCode AS thumbCode, f.unresolved AS unresolved, f.specialEntry AS specialEntry,\n"
         "  f.originalIP AS originalIP, f.unwindMethod AS unwindMethod, n.key AS stackDepth,\n"
         "  f.line AS line\n"
         "FROM COMPOSITE_EVENTS AS e JOIN PROF_SAMPLE_CHAINS AS c ON c.id = e.callchainId\n"
         "JOIN json_each(c.frames) AS n CROSS JOIN PROF_SAMPLE_FRAMES AS f ON f.id = n.value";
}

char arrow_format(std::string_view table, std::string_view column) {
  const TableColumn wanted(table, column);
  const auto* found =
      std::ranges::lower_bound(kFormats, wanted, {}, &std::pair<TableColumn, char>::first);
  return found != std::end(kFormats) && found->first == wanted ? found->second : '\0';
}

std::vector<std::string_view> table_names() {
  std::vector<std::string_view> names;
  for (const auto& [name, content] : kFiles)
    if (content.starts_with("CREATE TABLE")) names.push_back(name);
  return names;
}

bool is_in_all_reports(std::string_view table) {
  constexpr std::string_view kTables = " " PROF_TABLES_OF_ALL_REPORTS " ";
  for (std::size_t at = kTables.find(table); at != kTables.npos; at = kTables.find(table, at + 1))
    if (kTables[at - 1] == ' ' && kTables[at + table.size()] == ' ') return true;
  return false;
}

std::vector<std::string_view> tables_of_most_reports() {
  std::vector<std::string_view> tables;
  for (std::string_view rest = PROF_TABLES_OF_MOST_REPORTS; !rest.empty();) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    tables.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return tables;
}

std::string_view empty_report() {
  return {prof_empty_report, static_cast<std::size_t>(prof_empty_report_end - prof_empty_report)};
}

std::string_view small_report() {
  return {prof_small_report, static_cast<std::size_t>(prof_small_report_end - prof_small_report)};
}

}  // namespace prof::report
