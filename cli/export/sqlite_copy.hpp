// --sqlite and --force-export of prof stats and prof analyze.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace prof::cli {

// The SQLite file that scripts of nsys ask for beside the tables. As on the command line.
struct SqliteCopy {
  std::string path = {};
  bool force = false;  // write it again if it exists
};

void add_sqlite_options(CLI::App& app, SqliteCopy& copy);

// The file to read in place of `report`, which has the name that the user gave: the copy, written
// if it is missing. Without --sqlite: the report. Throws Failure.
std::string report_to_read(const std::string& report, const SqliteCopy& copy, bool quiet);

}  // namespace prof::cli
