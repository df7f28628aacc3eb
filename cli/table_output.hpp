// Where prof stats, prof analyze and prof diff put their tables.
#pragma once

#include <functional>
#include <string>

#include "exporters/stats/table_format.hpp"

namespace prof::cli {

struct TableOutput {
  std::string report;
  stats::TableFormat format = stats::TableFormat::kColumn;
  std::string target = "-";  // "-": stdout; "@COMMAND": its stdin; else the base of the file names
  bool overwrite = false;
  bool quiet = false;  // say nothing but errors
};

// The format of that name. Throws Failure if there is none.
stats::TableFormat table_format(const std::string& name);

// Puts one table there, as `make` writes it. `name`: with arguments after colons; for the file.
void put(const TableOutput& output, const std::string& name,
         const std::function<void(const stats::Write&)>& make);
void put(const TableOutput& output, const std::string& name, const std::string& text);

}  // namespace prof::cli
