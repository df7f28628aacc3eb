#include "exporters/ranks/report_ranks.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/rows.hpp"

namespace prof::ranks {

namespace {

using report::Statement;

base::Result<std::string> node_of(const report::ReportReader& reader) {
  std::string node;
  if (!reader.has_table("TARGET_INFO_SYSTEM_ENV")) return node;
  const base::Status read = events::for_each_row(
      reader, "SELECT value FROM main.TARGET_INFO_SYSTEM_ENV WHERE name = 'Hostname' LIMIT 1",
      [&](const Statement& row) { node = row.text(0); });
  if (!read) return tl::make_unexpected(read.error());
  return node;
}

// Finds the processes that are in none of the lists.
base::Result<std::vector<std::int64_t>> other_processes(const report::ReportReader& reader,
                                                        const std::vector<ReportRank>& ranks) {
  std::set<std::int64_t> others;
  if (!reader.has_table("PROCESSES")) return std::vector<std::int64_t>();
  const base::Status read =
      events::for_each_row(reader, "SELECT globalPid >> 24 FROM main.PROCESSES",
                           [&](const Statement& row) { others.insert(row.integer(0)); });
  if (!read) return tl::make_unexpected(read.error());
  for (const ReportRank& rank : ranks)
    for (const std::int64_t process : *rank.processes) others.erase(process);
  return std::vector<std::int64_t>(others.begin(), others.end());
}

// Returns the ranks with their processes, which are sorted.
base::Result<std::vector<ReportRank>> recorded_ranks(const report::ReportReader& reader,
                                                     const std::string& node) {
  using Key = std::tuple<std::string, std::int64_t, std::int64_t>;  // job, rank, attempt
  std::map<Key, ReportRank> ranks;
  if (reader.has_table("PROF_RANKS")) {
    const base::Status read = events::for_each_row(
        reader,
        "SELECT DISTINCT globalPid >> 24, rank, size, jobId, attempt FROM main.PROF_RANKS "
        "WHERE precedence = 0 ORDER BY 1",
        [&](const Statement& row) {
          const std::string job(row.text(3));
          ReportRank& rank = ranks[{job, row.integer(1), row.integer(4)}];
          rank.unit = {job, row.integer(1), node, {}};
          rank.attempt = row.integer(4);
          if (!row.is_null(2)) rank.size = std::max(rank.size.value_or(0), row.integer(2));
          if (!rank.processes) rank.processes.emplace();
          rank.processes->push_back(row.integer(0));
        });
    if (!read) return tl::make_unexpected(read.error());
  }
  std::vector<ReportRank> result;
  for (auto& [key, rank] : ranks) result.push_back(std::move(rank));
  return result;
}

}  // namespace

base::Result<std::vector<ReportRank>> ranks_of(const report::ReportReader& reader) {
  const auto node = node_of(reader);
  if (!node) return tl::make_unexpected(node.error());
  const std::string name = std::filesystem::path(reader.path()).filename().string();
  auto ranks = recorded_ranks(reader, *node);
  if (!ranks) return ranks;
  if (ranks->empty()) return std::vector<ReportRank>{{{{}, {}, *node, name}, 0, {}, {}}};
  if (ranks->size() == 1) {
    ranks->front().processes.reset();
    return ranks;
  }
  auto others = other_processes(reader, *ranks);
  if (!others) return tl::make_unexpected(others.error());
  if (!others->empty()) ranks->push_back({{{}, {}, *node, name}, 0, {}, *std::move(others)});
  for (std::size_t i = 0; i < ranks->size(); ++i) (*ranks)[i].place = i;
  return ranks;
}

std::optional<std::size_t> place_of(const std::vector<ReportRank>& ranks, std::int64_t global_pid) {
  const std::int64_t id = events::process_of(global_pid);
  for (std::size_t i = 0; i < ranks.size(); ++i)
    if (!ranks[i].processes || std::ranges::binary_search(*ranks[i].processes, id)) return i;
  return std::nullopt;
}

report::EventFilter filter_of(const std::vector<ReportRank>& ranks) {
  report::EventFilter filter;
  std::vector<std::int64_t> processes;
  for (const ReportRank& rank : ranks) {
    if (!rank.processes) return filter;
    processes.insert(processes.end(), rank.processes->begin(), rank.processes->end());
  }
  std::sort(processes.begin(), processes.end());
  filter.processes = std::move(processes);
  return filter;
}

}  // namespace prof::ranks
