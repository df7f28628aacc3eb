#include "cli/output/print_stats.hpp"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>

#include "cli/failure.hpp"
#include "cli/options/arguments.hpp"
#include "cli/output/message.hpp"
#include "cli/output/report_access.hpp"
#include "cli/output/source_lines.hpp"
#include "exporters/stats/catalog.hpp"
#include "exporters/stats/user_report.hpp"

namespace prof::cli {

namespace fs = std::filesystem;

namespace {

using CodeLines = std::shared_ptr<const events::CodeLines>;

// What the user asked for: a statistic with its arguments.
struct SelectedReport {
  std::string name;  // the current name, and the arguments
  std::string title;
  std::string missing;    // what the file lacks if there are no rows
  bool asked_for = true;  // so missing data is reported
  bool shows_code = false;
  std::function<base::Result<tables::Table>(const report::ReportReader&, const CodeLines&)> run;
};

SelectedReport select(const stats::StatsReport& report, const stats::Arguments& arguments,
                      const std::string& name) {
  return {name,
          report.title,
          report.missing,
          true,
          shows_code(report.takes, arguments),
          [&report, arguments](const auto& reader, const CodeLines& lines) {
            stats::Arguments with_lines = arguments;
            with_lines.code_lines = lines;
            return run(report, reader, with_lines);
          }};
}

std::vector<fs::path> queries_in(const std::string& folder) {
  std::error_code error;
  std::vector<fs::path> paths;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (at->path().extension() == ".sql") paths.push_back(at->path());
  if (error) throw Failure("cannot read " + folder + ": " + error.message());
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::vector<fs::path> queries_in(const std::vector<std::string>& folders) {
  std::vector<fs::path> paths;
  for (const std::string& folder : folders)
    for (fs::path& path : queries_in(folder)) paths.push_back(std::move(path));
  return paths;
}

std::optional<SelectedReport> user_selection(const std::string& name,
                                             const std::vector<fs::path>& queries) {
  const auto path = std::find_if(queries.begin(), queries.end(), [&](const fs::path& query) {
    return name == query.stem() || name == query.filename();
  });
  if (path == queries.end()) return std::nullopt;
  const auto query = take(stats::UserReport::read(path->string()));
  return SelectedReport{path->stem().string(),
                        query.title,
                        "data for " + path->filename().string(),
                        true,
                        false,
                        [query](const auto& reader, const auto&) { return query.run(reader); }};
}

[[noreturn]] void fail_unknown(const std::string& name, const std::vector<fs::path>& queries) {
  std::vector<std::string> known;
  for (const stats::StatsReport& each : stats::catalog()) known.emplace_back(each.name);
  for (const fs::path& query : queries) known.push_back(query.stem().string());
  throw Failure(
      "unknown report " + name + suggestion(name, known) + " (see prof stats --help-reports)",
      kBadUsage);
}

// NAME or NAME:ARGUMENT:…
SelectedReport selection_of(const std::string& request, const std::vector<fs::path>& queries) {
  if (auto own = user_selection(request, queries)) return *std::move(own);
  const std::size_t colon = std::min(request.find(':'), request.size());
  const std::string name = request.substr(0, colon);
  const stats::StatsReport* report = stats::find_report(name);
  if (report == nullptr) fail_unknown(name, queries);
  const std::string words = request.substr(std::min(colon + 1, request.size()));
  const auto arguments = stats::parse_arguments(words, report->takes);
  if (!arguments) throw Failure(request + ": " + arguments.error().message, kBadUsage);
  return select(*report, *arguments, words.empty() ? report->name : report->name + (":" + words));
}

std::vector<SelectedReport> selected_reports(const StatsRequest& request) {
  const std::vector<fs::path> queries = queries_in(request.folders);
  std::vector<SelectedReport> reports;
  for (const std::string& name : request.names) reports.push_back(selection_of(name, queries));
  if (!request.names.empty()) return reports;
  for (const stats::StatsReport& report : stats::default_reports())
    reports.push_back(select(report, {}, report.name));
  for (const stats::StatsReport& report : stats::defaults_with_data()) {
    reports.push_back(select(report, {}, report.name));
    reports.back().asked_for = false;
  }
  return reports;
}

// Statistics keep durations and rows of millions of events. By default malloc asks the kernel for
// each 128 KiB, and returns memory that the next statistic needs again.
void allocate_in_large_steps() {
  mallopt(M_TOP_PAD, 16 << 20);
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
}

void check_lines(const std::vector<SelectedReport>& reports) {
  if (std::ranges::any_of(reports, &SelectedReport::shows_code)) return;
  throw Failure(
      "--lines needs -r cpu_sample_sum, cpu_sample_tree, osrt_callers, cuda_api_callers or "
      "thread_state_sum:osrt",
      kBadUsage);
}

void print_line(std::string_view name, std::string_view help, std::string_view usage) {
  fmt::print("  {:<22} {}{}{}\n", name, help, usage.empty() ? "" : " ", usage);
}

}  // namespace

void print_stats(const StatsRequest& request) {
  allocate_in_large_steps();
  const auto reports = selected_reports(request);
  if (request.lines) check_lines(reports);
  const TableSettings settings(request.tables);
  const auto reader = open_report(request.report, settings.quiet());
  settings.prepare(reader);
  const CodeLines lines = request.lines ? find_source_lines(reader, settings.quiet()) : nullptr;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const auto& [name, title, missing, asked_for, shows_code, run] = reports[i];
    tables::Table table = take(run(reader, lines));
    if (!table.rows.empty())
      put_table(settings.output(request.report, i), std::move(table), title, name);
    else if (asked_for && !settings.quiet())
      print_message("SKIPPED: {} does not contain {}.\n", request.report, missing);
  }
  close_report(reader);
}

void print_stats_help(const std::string& name, const std::vector<std::string>& folders) {
  const std::vector<fs::path> queries = queries_in(folders);
  if (!name.empty() && name != "ALL") {
    const stats::StatsReport* report = stats::find_report(name);
    if (report == nullptr) fail_unknown(name, queries);
    fmt::print("{}{} -- {}\n\n  {}\n", report->name, stats::usage(report->takes), report->title,
               report->help);
    if (report->old_name != nullptr) fmt::print("  Before 2023: {}\n", report->old_name);
    return;
  }
  for (const auto& report : stats::catalog())
    print_line(report.name, report.help, stats::usage(report.takes));
  for (const fs::path& query : queries)
    print_line(query.stem().string(), take(stats::UserReport::read(query.string())).title, "");
  fmt::print(
      "\nbase: kernel names without parameters. mangled: names as the linker sees them. "
      "nvtx-name:\n"
      "names prefixed with the innermost NVTX range around the launch. rows: maximum number of "
      "rows\n"
      "(-1: all). Without -r, the first {} are printed, and those of the next {} that have data.\n",
      stats::default_reports().size(), stats::defaults_with_data().size());
}

}  // namespace prof::cli
