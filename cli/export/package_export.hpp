// Exports with the Python package prof_report: Parquet, Arrow and HDF5.
#pragma once

#include <string>
#include <vector>

namespace prof::cli {

struct PackageExport {
  std::string type;
  std::string report;
  std::string output;
  std::vector<std::string> tables;
  std::vector<std::string> empty_columns;  // columns that are NULL in all rows
  bool lazy = true;                        // leave out tables without rows
  bool overwrite = false;
  bool append = false;
  bool quiet = false;
};

// Runs the package with the python3 in PATH. Throws Failure if that fails; the package writes the
// reason to stderr.
void export_with_package(const PackageExport& what);

}  // namespace prof::cli
