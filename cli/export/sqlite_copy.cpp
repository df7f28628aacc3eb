#include "cli/export/sqlite_copy.hpp"

#include <filesystem>

#include "cli/export/export_report.hpp"
#include "cli/messages/failure.hpp"
#include "cli/messages/message.hpp"
#include "cli/options/option_kinds.hpp"
#include "cli/output/report_access.hpp"

namespace prof::cli {

namespace fs = std::filesystem;

namespace {

void write_copy(const std::string& report, const std::string& path, bool quiet) {
  ExportOptions options;
  options.type = "sqlite";
  options.output = path;
  options.overwrite = true;
  options.quiet = quiet;
  export_report(report, options);
  if (!quiet) print_message("prof: wrote {}\n", path);
}

// Warns, because a copy of an older recording with the same name would be read in place of the new
// one.
void warn_if_older(const std::string& path, const std::string& report) {
  std::error_code error;
  const auto copied = fs::last_write_time(path, error);
  if (error) return;
  const auto recorded = fs::last_write_time(report, error);
  if (!error && recorded > copied)
    print_message("prof: reading {}, which is older than {}; --force-export writes it again\n",
                  path, report);
}

}  // namespace

void add_sqlite_options(CLI::App& app, SqliteCopy& copy) {
  app.add_option("--sqlite", copy.path,
                 "Read this SQLite file in place of the report. If it does not exist, the report "
                 "is exported to it first")
      ->type_name("FILE");
  add_bool(app, "--force-export", copy.force,
           "With --sqlite: export the report also if the file exists");
}

std::string report_to_read(const std::string& report, const SqliteCopy& copy, bool quiet) {
  std::string file = find_report_file(report);
  if (copy.path.empty()) return file;
  if (fs::path(report).extension() == ".sqlite")
    throw Failure("--sqlite is for reports; " + report + " is an SQLite export already", kBadUsage);
  std::error_code error;
  if (fs::equivalent(copy.path, file, error)) return file;
  const bool exists = fs::exists(copy.path, error);
  if (!exists || copy.force)
    write_copy(file, copy.path, quiet);
  else if (!quiet)
    warn_if_older(copy.path, file);
  return copy.path;
}

}  // namespace prof::cli
