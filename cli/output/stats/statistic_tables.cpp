#include "cli/output/stats/statistic_tables.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "cli/messages/failure.hpp"
#include "cli/messages/message.hpp"
#include "cli/output/terminal.hpp"

namespace prof::cli {

namespace {

constexpr std::int64_t kRowsOnTerminal = 30;
constexpr std::int64_t kRowsOfOverview = 10;  // the limit if the user names no statistic

}  // namespace

StatisticTables::StatisticTables(const ViewOptions& view, const TableSettings& settings,
                                 bool is_overview, const std::string& report)
    : view_(view), settings_(settings), is_overview_(is_overview) {
  check_view_options(view_);
  const bool on_terminal = is_terminal(STDOUT_FILENO) || view_.color == Color::kAlways;
  for_terminal_ = on_terminal && is_for_person(settings_.output(report, 0));
  if (!view_.sort.empty()) order_ = tables::parse_sort_order(view_.sort);
}

void StatisticTables::print(tables::Table table, TableOutput output, const std::string& title,
                            const std::string& name) {
  tables::keep_matching_rows(table, view_.names);
  if (table.rows.empty()) return;
  // A tree stays in its order.
  if (order_ && !name.starts_with("cpu_sample_tree")) sort(table);
  output.most_rows = most_rows(output);
  if (for_terminal_ && is_for_person(output)) output.terminal = style();
  put_table(output, std::move(table), title, name);
  ++printed_;
}

void StatisticTables::check_sorted(const std::string& report) const {
  if (!is_sorted_ && !columns_.empty())
    throw Failure("no column starts with " + view_.sort + " (there are: " + columns_ + ")",
                  kBadUsage);
  if (printed_ == 0 && !view_.names.empty())
    print_message("prof: {}: no row matches --name {}\n", report, fmt::join(view_.names, ", "));
}

bool StatisticTables::is_for_person(const TableOutput& output) {
  return output.target == "-" && output.format == tables::TableFormat::kColumn;
}

void StatisticTables::sort(tables::Table& table) {
  if (tables::sort_rows(table, *order_)) {
    is_sorted_ = true;
    return;
  }
  if (columns_.empty())
    for (const tables::ColumnSpec& column : table.columns)
      columns_ += (columns_.empty() ? "" : ", ") + column.header;
}

std::size_t StatisticTables::most_rows(const TableOutput& output) const {
  const bool is_cut = for_terminal_ && is_for_person(output);
  const std::int64_t usual = is_overview_ ? kRowsOfOverview : kRowsOnTerminal;
  return static_cast<std::size_t>(view_.rows.value_or(is_cut ? usual : 0));
}

tables::TerminalStyle StatisticTables::style() const {
  const bool has_color =
      view_.color == Color::kAlways || (view_.color == Color::kAuto && allows_color());
  return {terminal_width(STDOUT_FILENO), has_color, settings_.has_usual_time_unit()};
}

}  // namespace prof::cli
