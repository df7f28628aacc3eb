// Prints the tables of statistics as the user wants them: selected, sorted and cut rows, the style
// of the terminal.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "cli/output/options/table_options.hpp"
#include "cli/output/options/view_options.hpp"
#include "exporters/analysis/tables/row_selection.hpp"
#include "exporters/analysis/tables/table.hpp"

namespace prof::cli {

class StatisticTables {
 public:
  // `is_overview`: the user names no statistic. Throws Failure if an option is wrong.
  StatisticTables(const ViewOptions& view, const TableSettings& settings, bool is_overview,
                  const std::string& report);

  bool for_terminal() const { return for_terminal_; }
  std::size_t printed() const { return printed_; }
  // Prints a table with rows, but for those that the user does not want.
  void print(tables::Table table, TableOutput output, const std::string& title,
             const std::string& name);
  // Throws Failure if no table has the column that the user sorts by. Says if no row matched.
  void check_sorted(const std::string& report) const;

  // True if a person reads this output.
  static bool is_for_person(const TableOutput& output);

 private:
  void sort(tables::Table& table);
  std::size_t most_rows(const TableOutput& output) const;
  tables::TerminalStyle style() const;

  const ViewOptions& view_;
  const TableSettings& settings_;
  bool is_overview_;
  bool for_terminal_ = false;
  std::optional<tables::SortOrder> order_;
  bool is_sorted_ = false;
  std::string columns_;  // of the first table that could not be sorted
  std::size_t printed_ = 0;
};

}  // namespace prof::cli
