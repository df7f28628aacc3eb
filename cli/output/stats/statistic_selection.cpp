#include "cli/output/stats/statistic_selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cli/messages/failure.hpp"
#include "cli/options/arguments.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/defaults.hpp"
#include "exporters/analysis/stats/user_report.hpp"

namespace prof::cli {

namespace fs = std::filesystem;

namespace {

// Returns what the report lacks, and how to record it.
std::string missing_data(const stats::Source& source) {
  const std::string_view options = source.options;
  return fmt::format("{}. To record it: {}{}", source.data,
                     options.starts_with("prof ") ? "" : "prof profile ", options);
}

bool shows_samples(const stats::Statistic& report, const stats::Arguments& arguments) {
  return std::string_view(report.name).starts_with("cpu_sample_") &&
         shows_code(report.takes, arguments);
}

SelectedStatistic select(const stats::Statistic& report, stats::Arguments arguments,
                         const std::string& name, const StatisticOptions& options) {
  arguments.kernels.range_of = options.range_of;
  arguments.shows_lines = options.shows_lines;
  const bool samples = shows_samples(report, arguments);
  return {name,
          report.title,
          missing_data(report.source),
          true,
          shows_code(report.takes, arguments),
          samples,
          [=, &report](const auto& reader, const CodeLines& lines) {
            stats::Arguments with_lines = arguments;
            if (arguments.shows_lines || samples) with_lines.code_lines = lines;
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

std::optional<SelectedStatistic> user_selection(const std::string& name,
                                                const std::vector<fs::path>& queries) {
  const auto path = std::find_if(queries.begin(), queries.end(), [&](const fs::path& query) {
    return name == query.stem() || name == query.filename();
  });
  if (path == queries.end()) return std::nullopt;
  const auto query = take(stats::UserReport::read(path->string()));
  return SelectedStatistic{path->stem().string(),
                           query.title,
                           "data for " + path->filename().string() + ".",
                           true,
                           false,
                           false,
                           [query](const auto& reader, const auto&) { return query.run(reader); }};
}

// Statistics of graphics programs and switches. prof neither records nor reads their data.
constexpr std::string_view kOnlyOfNsys[] = {"dx11_pix_sum", "dx12_gpu_marker_sum", "dx12_pix_sum",
                                            "network_congestion", "wddm_queue_sum"};

SelectedStatistic without_data(const std::string& name) {
  return {name,  name,  "data for " + name + ". Only nsys records it.",          true,
          false, false, [](const auto&, const auto&) { return tables::Table{}; }};
}

// Parses NAME or NAME:ARGUMENT:….
SelectedStatistic selection_of(const std::string& request, const std::vector<fs::path>& queries,
                               const StatisticOptions& options) {
  if (auto own = user_selection(request, queries)) return *std::move(own);
  const std::size_t colon = std::min(request.find(':'), request.size());
  const std::string name = request.substr(0, colon);
  const stats::Statistic* report = stats::find_statistic(name);
  if (report == nullptr && std::ranges::find(kOnlyOfNsys, name) != std::end(kOnlyOfNsys))
    return without_data(name);
  if (report == nullptr) fail_unknown(name, queries);
  const std::string words = request.substr(std::min(colon + 1, request.size()));
  const auto arguments = stats::parse_arguments(words, report->takes);
  if (!arguments) throw Failure(request + ": " + arguments.error().message, kBadUsage);
  return select(*report, *arguments, words.empty() ? report->name : report->name + (":" + words),
                options);
}

}  // namespace

std::vector<fs::path> queries_in(const std::vector<std::string>& folders) {
  std::vector<fs::path> paths;
  for (const std::string& folder : folders)
    for (fs::path& path : queries_in(folder)) paths.push_back(std::move(path));
  return paths;
}

void fail_unknown(const std::string& name, const std::vector<fs::path>& queries) {
  std::vector<std::string> known;
  for (const stats::Statistic& each : stats::catalog()) known.emplace_back(each.name);
  for (const fs::path& query : queries) known.push_back(query.stem().string());
  throw Failure(
      "unknown report " + name + suggestion(name, known) + " (see prof stats --help-reports)",
      kBadUsage);
}

std::vector<SelectedStatistic> selected_statistics(const std::vector<std::string>& names,
                                                   const std::vector<std::string>& folders,
                                                   bool for_terminal,
                                                   const StatisticOptions& options) {
  const std::vector<fs::path> queries = queries_in(folders);
  std::vector<SelectedStatistic> selected;
  for (const std::string& name : names) selected.push_back(selection_of(name, queries, options));
  if (!names.empty()) return selected;
  for (const stats::Statistic* report :
       for_terminal ? stats::defaults_for_terminal() : stats::defaults_for_files()) {
    selected.push_back(select(*report, {}, report->name, options));
    selected.back().asked_for = false;
  }
  return selected;
}

}  // namespace prof::cli
