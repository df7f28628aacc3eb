#include "cli/mcp/comparison.hpp"

#include <string>
#include <vector>

#include "cli/messages/failure.hpp"
#include "cli/output/report_access.hpp"
#include "exporters/analysis/diff/comparison.hpp"
#include "exporters/analysis/diff/tables.hpp"
#include "exporters/analysis/tables/table_format.hpp"

namespace prof::cli {

namespace {

mcp::Object json_of(const tables::Table& table) {
  return mcp::Object::parse(
      tables::format_table(table, tables::TableFormat::kJson, "Changes", "diff_changes"));
}

}  // namespace

mcp::ToolResult comparison_of(const Arguments& arguments) {
  const Page page(arguments);
  const auto before = open_report(arguments.text("before"), true);
  const auto after = open_report(arguments.text("after"), true);
  diff::Options options;
  options.categories = diff::usual_categories();
  const diff::Comparison comparison = take(diff::compare(before, after, options));
  std::vector<diff::Change> changes = comparison.changes;
  mcp::Object result = {
      {"summary", json_of(diff::summary_table(comparison.before, comparison.after))}};
  page.cut(changes, result);
  result["changes"] = json_of(diff::changes_table(changes));
  result["all_changes"] = comparison.changes.size();
  return {result};
}

}  // namespace prof::cli
