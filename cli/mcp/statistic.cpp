#include "cli/mcp/statistic.hpp"

#include <vector>

#include "cli/messages/failure.hpp"
#include "cli/options/arguments.hpp"
#include "cli/output/options/table_options.hpp"
#include "cli/output/report_access.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/tables/table_format.hpp"

namespace prof::cli {

namespace {

mcp::Object catalog_of(const report::ReportReader& reader) {
  mcp::Object list = mcp::Object::array();
  for (const stats::Statistic& each : stats::catalog())
    if (stats::has_table(each, reader)) list.push_back({{"name", each.name}, {"help", each.help}});
  return {{"statistics", std::move(list)}};
}

const stats::Statistic& known_statistic(const std::string& name) {
  if (const stats::Statistic* found = stats::find_statistic(name)) return *found;
  std::vector<std::string> names;
  for (const stats::Statistic& each : stats::catalog()) names.emplace_back(each.name);
  throw Failure("unknown statistic" + suggestion(name, names));
}

}  // namespace

mcp::ToolResult statistic_of(const Arguments& arguments) {
  const Page page(arguments);
  const std::string name = arguments.text_or("name", "");
  const auto reader = open_report(arguments.text("report"), true);
  TableOptions options;
  options.quiet = true;
  TableSettings(options).prepare(reader);
  if (name.empty()) return {catalog_of(reader)};
  const stats::Statistic& statistic = known_statistic(name);
  tables::Table table = take(stats::run(statistic, reader, {}));
  const std::size_t all = table.rows.size();
  mcp::Object result = {{"statistic", statistic.name}};
  page.cut(table.rows, result);
  result["rows"] = mcp::Object::parse(
      tables::format_table(table, tables::TableFormat::kJson, statistic.title, statistic.name));
  result["all_rows"] = all;
  return {result};
}

}  // namespace prof::cli
