// The options of prof stats and prof analyze for the tables that they print.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "cli/output/table_output.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/clocks/clock_map.hpp"
#include "exporters/analysis/events/event_filter.hpp"
#include "exporters/analysis/events/selection/export_selection.hpp"

namespace prof::cli {

// The values of the options, as on the command line. The first element of a list is for the first
// table, and so on. The last element is for all further tables.
struct TableOptions {
  std::vector<std::string> formats = {"."};  // ".": column for stdout, else csv
  std::vector<std::string> outputs = {"-"};
  std::string time_unit = "auto";
  std::string filter_time = {};
  std::string filter_nvtx = {};
  bool overwrite = false;
  bool quiet = false;  // print errors and tables only
};

void add_filter_options(CLI::App& app, TableOptions& options);
void add_output_options(CLI::App& app, TableOptions& options);

// The option --help-formats.
class FormatHelp {
 public:
  void add(CLI::App& app);
  // Explains the formats if the user asked for that, and returns whether. Throws Failure.
  bool print() const;

 private:
  CLI::Option* option_ = nullptr;
  std::string name_;
};

// Returns the words that one of these options takes, for completion.
std::vector<std::string> words_of_output_option(const std::string& name);

// The checked values of the options.
class TableSettings {
 public:
  // Throws Failure if a value is wrong.
  explicit TableSettings(TableOptions options);

  bool quiet() const { return options_.quiet; }
  bool has_time_window() const { return !options_.filter_time.empty(); }
  bool has_usual_time_unit() const { return !time_unit_; }
  // Makes the views of the report that statistics read, with the filters and `more` applied.
  // Returns the filters. `selection` is the filter of an export. The window of time is on the
  // common clock that `clock` leads to.
  events::EventFilter prepare(const report::ReportReader& reader,
                              const events::EventFilter& more = {},
                              const events::ExportSelection& selection = {},
                              const events::ClockMap& clock = {}) const;
  // Returns where table number `index` goes, counted from 0.
  TableOutput output(const std::string& report, std::size_t index) const;

 private:
  std::string suffix() const;

  TableOptions options_;
  std::vector<std::optional<tables::TableFormat>> formats_;  // empty: the default of the target
  std::optional<tables::TimeUnit> time_unit_;
  events::EventFilter window_;
};

}  // namespace prof::cli
