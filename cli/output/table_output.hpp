// Writes the tables of prof stats, prof analyze and prof diff.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "exporters/analysis/tables/table_format.hpp"
#include "exporters/analysis/tables/terminal_layout.hpp"
#include "exporters/analysis/tables/time_unit.hpp"

namespace prof::cli {

struct TableOutput {
  std::string report;
  tables::TableFormat format = tables::TableFormat::kColumn;
  std::string target = "-";  // "-": stdout; "@COMMAND": its stdin; else the base of the file names
  bool overwrite = false;
  bool quiet = false;  // print only errors
  tables::TimeUnit time_unit = tables::TimeUnit::kNanoseconds;
  std::string suffix = {};    // of the file name
  std::size_t most_rows = 0;  // 0: all
  // Set if the table is for a terminal; only valid with the format and target above.
  std::optional<tables::TerminalStyle> terminal = {};
};

// Returns the format of that name. Throws Failure if there is none.
tables::TableFormat table_format(const std::string& name);

// Writes a table in the format and the time unit of `output`, as format_table() does.
void put_table(const TableOutput& output, tables::Table table, std::string_view title,
               const std::string& name, std::string_view note = {});

// Writes the text that `make` makes. `name` is the name of the table, with arguments after colons,
// for the file name.
void put(const TableOutput& output, const std::string& name,
         const std::function<void(const tables::Write&)>& make);
// Writes a finished text.
void put(const TableOutput& output, const std::string& name, const std::string& text);

}  // namespace prof::cli
