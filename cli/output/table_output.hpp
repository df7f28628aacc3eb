// Where prof stats, prof analyze and prof diff put their tables.
#pragma once

#include <functional>
#include <string>

#include "exporters/tables/table_format.hpp"
#include "exporters/tables/time_unit.hpp"

namespace prof::cli {

struct TableOutput {
  std::string report;
  tables::TableFormat format = tables::TableFormat::kColumn;
  std::string target = "-";  // "-": stdout; "@COMMAND": its stdin; else the base of the file names
  bool overwrite = false;
  bool quiet = false;  // say nothing but errors
  tables::TimeUnit time_unit = tables::TimeUnit::kNanoseconds;
  std::string suffix = {};  // of the file's name
};

// The format of that name. Throws Failure if there is none.
tables::TableFormat table_format(const std::string& name);

// Puts a table there, in the format and the unit; as format_table().
void put_table(const TableOutput& output, tables::Table table, std::string_view title,
               const std::string& name, std::string_view note = {});

// Puts there what `make` writes. `name`: with arguments after colons; for the file.
void put(const TableOutput& output, const std::string& name,
         const std::function<void(const tables::Write&)>& make);
// The same for a finished text.
void put(const TableOutput& output, const std::string& name, const std::string& text);

}  // namespace prof::cli
