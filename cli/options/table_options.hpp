// What prof stats and prof analyze let the user choose for the tables that they print of a report.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "cli/output/table_output.hpp"
#include "collector/report/report_reader.hpp"
#include "exporters/events/event_filter.hpp"

namespace prof::cli {

// As on the command line. Of lists, the first is for the first table, and so on; the last is for
// all further ones, too.
struct TableOptions {
  std::vector<std::string> formats = {"."};  // ".": column for stdout, else csv
  std::vector<std::string> outputs = {"-"};
  std::string time_unit = "nsec";
  std::string filter_time = {};
  std::string filter_nvtx = {};
  bool overwrite = false;
  bool quiet = false;  // print errors and tables only
};

void add_filter_options(CLI::App& app, TableOptions& options);
void add_output_options(CLI::App& app, TableOptions& options);

// The options after a check of all that can be wrong about them.
class TableSettings {
 public:
  // Throws Failure.
  explicit TableSettings(TableOptions options);

  bool quiet() const { return options_.quiet; }
  // Lets the reader see what the filters leave, and as reports read it; what that is.
  events::EventFilter prepare(const report::ReportReader& reader) const;
  // Where the table goes that is asked for in place `index` of all, counted from 0.
  TableOutput output(const std::string& report, std::size_t index) const;

 private:
  std::string suffix() const;

  TableOptions options_;
  std::vector<std::optional<tables::TableFormat>> formats_;  // none: the usual one
  tables::TimeUnit time_unit_;
  events::EventFilter window_;
};

}  // namespace prof::cli
