#include "cli/export/run_export.hpp"

#include "cli/export/python_package.hpp"
#include "cli/messages/failure.hpp"

namespace prof::cli {

namespace {

void check_run_options(const ExportOptions& options) {
  const auto refuse = [](bool is_wrong, const char* text) {
    if (is_wrong) throw Failure(std::string("--type=run ") + text, kBadUsage);
  };
  refuse(options.output.empty(), "writes a folder: give it with -o");
  const TableOptions& filters = options.filters;
  refuse(!options.times.empty() || !filters.filter_time.empty() || !filters.filter_nvtx.empty() ||
             !options.processes.empty() || options.normalize || options.shift != 0,
         "writes all events: select them when the folder is read");
  refuse(!options.align.empty(),
         "has the times of each report; prof info --json has what makes them times of one clock");
  refuse(!options.samples.empty() || options.lines || options.ranks || !options.step.empty() ||
             options.append || options.separate_strings || options.rank != 0 ||
             options.world_size != 1,
         "takes -o, -f, -q and --tables");
}

}  // namespace

void export_run(const std::vector<std::string>& reports, const ExportOptions& options) {
  check_run_options(options);
  std::vector<std::string> words = {"--output=" + options.output};
  for (const std::string& table : options.tables) words.push_back("--table=" + table);
  if (options.overwrite) words.emplace_back("--force-overwrite");
  if (options.quiet) words.emplace_back("--quiet");
  words.emplace_back("--");
  words.insert(words.end(), reports.begin(), reports.end());
  become_package("--type=run", "prof_report.run_folder", words);
}

}  // namespace prof::cli
