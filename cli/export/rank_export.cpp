#include "cli/export/rank_export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "cli/export/export_report.hpp"
#include "cli/messages/failure.hpp"
#include "cli/messages/message.hpp"
#include "cli/output/report_access.hpp"
#include "common/report/table_scan.hpp"
#include "exporters/analysis/events/global_ids.hpp"

namespace prof::cli {

namespace fs = std::filesystem;

namespace {

struct Rank {
  std::string report;
  const ExportOptions& options;
  std::int64_t pid;
};

// Returns the processes with GPU work, in the order of their ranks.
std::vector<std::int64_t> ranks_of(const report::ReportReader& reader) {
  std::map<std::int64_t, std::int64_t> first_gpus;  // by process
  for (const char* table : {"CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"}) {
    if (!reader.has_table(table)) continue;
    const std::string rows = fmt::format(
        "(SELECT globalPid, MIN(deviceId) AS deviceId FROM {} GROUP BY globalPid)", table);
    check(report::scan_sql(reader, "globalPid, deviceId", rows, [&](const report::Row& row) {
      const std::int64_t pid = events::pid_of(row.integer(0));
      const auto [at, is_new] = first_gpus.emplace(pid, row.integer(1));
      if (!is_new) at->second = std::min(at->second, row.integer(1));
    }));
  }
  std::vector<std::int64_t> pids;
  for (const auto& [pid, gpu] : first_gpus) pids.push_back(pid);
  std::stable_sort(pids.begin(), pids.end(), [&](std::int64_t a, std::int64_t b) {
    return first_gpus.at(a) < first_gpus.at(b);
  });
  return pids;
}

void check_options(const ExportOptions& options) {
  const auto refuse = [](bool is_wrong, const char* text) {
    if (is_wrong) throw Failure(std::string("--ranks ") + text, kBadUsage);
  };
  std::error_code error;
  refuse(options.type != "chrome", "needs --type=chrome");
  refuse(!options.processes.empty(), "and --process contradict each other");
  refuse(options.rank != 0 || options.world_size != 1, "and --rank contradict each other");
  refuse(!options.output.empty() && !fs::is_directory(options.output, error),
         "writes several files: -o has to be a folder that exists");
}

}  // namespace

void export_ranks(const std::vector<std::string>& reports, const ExportOptions& options) {
  check_options(options);
  std::vector<Rank> ranks;
  const std::vector<ExportOptions> all = options_of(reports, options);
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const std::string path = find_report_file(reports[i]);
    const auto reader = open_report(path, true);
    const std::vector<std::int64_t> pids = ranks_of(reader);
    if (pids.empty()) throw Failure(path + " has no GPU work, so it has no ranks");
    for (const std::int64_t pid : pids) ranks.push_back({path, all[i], pid});
  }
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    ExportOptions one = ranks[i].options;
    one.rank = static_cast<std::int64_t>(i);
    one.world_size = static_cast<std::int64_t>(ranks.size());
    one.processes = {std::to_string(ranks[i].pid)};
    const fs::path report = ranks[i].report;
    const fs::path folder =
        options.output.empty() ? report.parent_path() : fs::path(options.output);
    one.output =
        folder / fmt::format("{}_rank{}.pt.trace.json", fs::path(report).stem().string(), i);
    export_report(ranks[i].report, one);
    if (!options.quiet) print_message("prof: wrote {}\n", one.output);
  }
}

}  // namespace prof::cli
