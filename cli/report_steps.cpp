#include "cli/report_steps.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "cli/arguments.hpp"
#include "cli/failure.hpp"
#include "cli/progress.hpp"
#include "collector/ingest/report_builder.hpp"
#include "collector/report/report_reader.hpp"
#include "exporters/stats/catalog.hpp"

namespace prof::cli {

namespace fs = std::filesystem;

namespace {

base::Result<ingest::BuildSummary> build(const ingest::Spool& spool, const std::string& output,
                                         bool overwrite,
                                         const std::optional<ingest::Window>& window) {
  auto writer = report::ReportWriter::create(output, overwrite);
  if (!writer) return tl::make_unexpected(writer.error());
  ProgressLine line("writing " + output);
  auto summary = ingest::build_report(
      spool, **writer, output, [&line](double fraction) { line.update(fraction); }, window);
  if (!summary) return summary;
  if (base::Status finished = (*writer)->finish(); !finished)
    return tl::make_unexpected(finished.error());
  return summary;
}

// A report with its arguments, as it was asked for.
struct Selection {
  const stats::StatsReport* report;
  stats::Arguments arguments;
  std::string name;       // the report's name today, and the arguments
  bool asked_for = true;  // and so missed where there is no data
};

void write_stats_file(const StatsRequest& request, std::string name, const std::string& text) {
  std::replace(name.begin(), name.end(), ':', '_');
  std::string base = request.output;
  if (base == ".") base = fs::path(request.report).replace_extension().string();
  const std::string path = fmt::format("{}_{}.{}", base, name, stats::extension(request.format));
  if (!request.overwrite && fs::exists(path))
    throw Failure(path + " exists; use --force-overwrite true to replace it");
  std::ofstream file(path);
  file << text;
  if (!file.flush()) throw Failure("cannot write " + path + ": " + std::strerror(errno));
  if (!request.quiet) fmt::print(stderr, "prof: wrote {}\n", path);
}

// NAME or NAME:ARGUMENT:…
Selection selection_of(const std::string& request) {
  const std::size_t colon = std::min(request.find(':'), request.size());
  const std::string name = request.substr(0, colon);
  const stats::StatsReport* report = stats::find_report(name);
  if (report == nullptr) {
    std::vector<std::string> known;
    for (const stats::StatsReport& each : stats::catalog()) known.emplace_back(each.name);
    throw Failure(
        "unknown report " + name + suggestion(name, known) + " (see prof stats --help-reports)",
        kBadUsage);
  }
  const std::string words = request.substr(std::min(colon + 1, request.size()));
  const auto arguments = stats::parse_arguments(words, report->takes);
  if (!arguments) throw Failure(request + ": " + arguments.error().message, kBadUsage);
  return {report, *arguments, words.empty() ? report->name : report->name + (":" + words)};
}

std::vector<Selection> selected_reports(const std::vector<std::string>& names) {
  std::vector<Selection> reports;
  reports.reserve(names.size());
  for (const std::string& name : names) reports.push_back(selection_of(name));
  if (!names.empty()) return reports;
  for (const stats::StatsReport& report : stats::default_reports())
    reports.push_back({&report, {}, report.name});
  for (const stats::StatsReport& report : stats::defaults_with_data())
    reports.push_back({&report, {}, report.name, false});
  return reports;
}

void tell(const ingest::BuildSummary& summary, const std::string& output) {
  if (summary.dropped > 0)
    spdlog::warn("{} events were lost; the report's DIAGNOSTIC_EVENT table says which and why",
                 summary.dropped);
  if (summary.corrupt_bytes > 0)
    spdlog::warn("{} bytes of damaged event data were skipped", summary.corrupt_bytes);
  fmt::print(stderr, "Generated:\n\t{}\n", fs::absolute(output).string());
}

// report.db, 2: report.2.db
std::string numbered(const std::string& output, std::size_t number) {
  fs::path path(output);
  return path.replace_extension(fmt::format(".{}{}", number, fs::path(output).extension().string()))
      .string();
}

}  // namespace

std::vector<std::string> write_reports(const std::string& spool_path, const std::string& output,
                                       bool overwrite) {
  const auto keep = [&](const base::Error& error) {
    return Failure(fmt::format("{}; the recording is kept, save it with: prof recover {} -o OUTPUT",
                               error.message, spool_path));
  };
  const auto spool = ingest::Spool::open(spool_path);
  if (!spool) throw keep(spool.error());
  const auto parts = ingest::report_windows(*spool);
  if (!parts) throw keep(parts.error());
  std::vector<std::string> outputs;
  for (const auto& window : parts->windows) {
    outputs.push_back(parts->numbered ? numbered(output, outputs.size() + 1) : output);
    const auto summary = build(*spool, outputs.back(), overwrite, window);
    if (!summary) throw keep(summary.error());
    tell(*summary, outputs.back());
  }
  unlink(spool_path.c_str());
  if (outputs.empty())
    spdlog::warn("the program never entered the capture range; no report was written");
  return outputs;
}

void print_stats(const StatsRequest& request) {
  const auto reports = selected_reports(request.names);
  const auto reader = take(report::ReportReader::open(request.report));
  for (const auto& [report, arguments, name, asked_for] : reports) {
    const stats::Table table = take(stats::run(*report, reader, arguments));
    if (table.rows.empty()) {
      if (asked_for && !request.quiet)
        fmt::print(stderr, "SKIPPED: {} does not contain {}.\n", request.report, report->missing);
      continue;
    }
    const std::string text = stats::format_table(table, request.format, report->title, name);
    if (request.output != "-") {
      write_stats_file(request, name, text);
    } else if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() ||
               std::fflush(stdout) != 0) {
      throw Failure(std::string("cannot write the statistics: ") + std::strerror(errno));
    }
  }
}

}  // namespace prof::cli
