// --sqlite and --force-export of prof stats and prof analyze.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace prof::cli {

// The values of --sqlite and --force-export, as on the command line: scripts written for nsys ask
// for an SQLite file beside the tables.
struct SqliteCopy {
  std::string path = {};
  bool force = false;  // write it again if it exists
};

void add_sqlite_options(CLI::App& app, SqliteCopy& copy);

// Returns the file to read. With --sqlite that is the copy of `report`, which this function writes
// if it is missing. Without --sqlite it is `report`, the name that the user gave. Throws Failure.
std::string report_to_read(const std::string& report, const SqliteCopy& copy, bool quiet);

}  // namespace prof::cli
