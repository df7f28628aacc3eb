#include "cli/output/report_folder.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <utility>

#include "cli/messages/failure.hpp"
#include "cli/messages/message.hpp"
#include "cli/output/report_access.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/info/job_facts.hpp"
#include "exporters/ranks/parallel.hpp"
#include "exporters/ranks/run_statistics.hpp"

namespace prof::cli {

namespace fs = std::filesystem;

namespace {

constexpr int kMaxDepth = 8;

// Returns the files in a folder and its folders, without hidden ones, by name.
std::vector<fs::path> files_in(const std::string& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    const bool is_hidden = at->path().filename().string().starts_with('.');
    std::error_code ignored;
    if (is_hidden || at.depth() >= kMaxDepth) at.disable_recursion_pending();
    if (!is_hidden && at->is_regular_file(ignored)) files.push_back(at->path());
  }
  if (error) throw Failure(folder + ": " + error.message());
  std::sort(files.begin(), files.end());
  return files;
}

// Returns the lowest rank in a report; the highest number if it has none.
base::Result<std::int64_t> first_rank(const std::string& path) {
  const auto reader = report::ReportReader::open(path);
  if (!reader) return tl::make_unexpected(reader.error());
  const auto ranks = info::read_ranks(*reader);
  if (!ranks) return tl::make_unexpected(ranks.error());
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (const info::Rank& rank : *ranks)
    if (rank.precedence == 0) first = std::min(first, rank.rank);
  return first;
}

void add_folder(const std::string& folder, FoundReports& found) {
  const auto [files, recordings] = files_of_folder(folder);
  for (const std::string& file : recordings) {
    print_message("prof: left out: {} is a recording that has not ended\n", file);
    found.has_left_out = true;
  }
  std::vector<base::Result<std::int64_t>> ranks(files.size());
  ranks::for_each_number(files.size(), 0, [&](std::size_t i) { ranks[i] = first_rank(files[i]); });
  std::vector<std::pair<std::int64_t, std::string>> reports;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (ranks[i]) {
      reports.emplace_back(*ranks[i], files[i]);
      continue;
    }
    print_message("prof: left out: {}\n", ranks[i].error().message);
    found.has_left_out = true;
  }
  if (reports.empty())
    throw Failure(folder + " has no report in it (a file that ends in .db or .sqlite)");
  std::stable_sort(reports.begin(), reports.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [rank, path] : reports) found.paths.push_back(std::move(path));
}

}  // namespace

FolderFiles files_of_folder(const std::string& folder) {
  FolderFiles result;
  for (const fs::path& file : files_in(folder)) {
    const std::string ending = file.extension().string();
    if (ending == ".spool") result.recordings.push_back(file.string());
    if (ending == ".db" || ending == ".sqlite") result.reports.push_back(file.string());
  }
  return result;
}

bool is_report_folder(const std::string& name) {
  std::error_code error;
  return fs::is_directory(name, error) && find_report_file(name) == name;
}

FoundReports find_reports(const std::vector<std::string>& names) {
  FoundReports found;
  for (const std::string& name : names) {
    if (is_report_folder(name)) {
      found.has_folder = true;
      add_folder(name, found);
    } else {
      found.paths.push_back(name);
    }
  }
  return found;
}

bool is_job(const std::vector<std::string>& names) {
  return names.size() > 1 || (names.size() == 1 && is_report_folder(names.front()));
}

std::string name_of_job(const std::vector<std::string>& names) {
  std::string name = names.front();
  while (name.size() > 1 && name.ends_with('/')) name.pop_back();
  return name;
}

JobReports find_job_reports(const std::vector<std::string>& names, bool quiet) {
  FoundReports found = find_reports(names);
  for (std::string& path : found.paths) path = find_report_file(path);
  std::vector<std::string> left_out;
  ranks::JobPlan plan = ranks::plan_job(ranks::find_ranks(found.paths, left_out));
  left_out.insert(left_out.end(), plan.left_out.begin(), plan.left_out.end());
  if (!is_job(names) && !left_out.empty()) throw Failure(left_out.front());
  for (const std::string& text : left_out) print_message("prof: left out: {}\n", text);
  if (plan.reports.empty()) throw Failure(names.front() + ": no report can be read");
  if (!quiet)
    for (const std::string& remark : plan.remarks) print_message("prof: {}\n", remark);
  return {std::move(plan.reports), found.has_left_out || !left_out.empty(),
          std::move(plan.remarks)};
}

}  // namespace prof::cli
