#include "exporters/ranks/job_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "exporters/ranks/run_sums.hpp"

namespace prof::ranks {

namespace {

constexpr std::size_t kMaxNamed = 20;
constexpr std::int64_t kMaxSize = 1 << 20;  // a larger job is not believed

bool has_ranks(const std::vector<PlannedReport>& reports) {
  return std::ranges::any_of(reports, [](const PlannedReport& report) {
    return std::ranges::any_of(report.ranks,
                               [](const ReportRank& rank) { return rank.unit.rank.has_value(); });
  });
}

void number(std::vector<PlannedReport>& reports) {
  std::int64_t next = 0;
  for (PlannedReport& report : reports)
    for (ReportRank& rank : report.ranks) {
      rank.unit.rank = next++;
      rank.unit.report.clear();
    }
}

void leave_out_repeated(JobPlan& plan) {
  std::map<std::tuple<std::string, std::int64_t, std::int64_t>, std::string> path_of;
  for (PlannedReport& report : plan.reports)
    std::erase_if(report.ranks, [&](const ReportRank& rank) {
      if (!rank.unit.rank) return false;
      const auto [at, is_new] =
          path_of.try_emplace({rank.unit.job, *rank.unit.rank, rank.attempt}, report.path);
      if (!is_new)
        plan.left_out.push_back(
            fmt::format("{} of {}: {} has it, too", text_of(rank.unit), report.path, at->second));
      return !is_new;
    });
  std::erase_if(plan.reports, [](const PlannedReport& report) { return report.ranks.empty(); });
}

std::string list_of(const std::vector<std::int64_t>& numbers) {
  const std::size_t shown = std::min(numbers.size(), kMaxNamed);
  std::string text = fmt::format(
      "{}", fmt::join(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (numbers.size() > shown) text += fmt::format(" and {} more", numbers.size() - shown);
  return text;
}

void add_remarks(JobPlan& plan) {
  std::map<std::string, std::set<std::int64_t>> ranks;  // by job
  std::map<std::string, std::int64_t> size_of;
  for (const PlannedReport& report : plan.reports)
    for (const ReportRank& rank : report.ranks) {
      if (!rank.unit.rank) continue;
      ranks[rank.unit.job].insert(*rank.unit.rank);
      size_of[rank.unit.job] = std::max(size_of[rank.unit.job], rank.size.value_or(0));
    }
  if (ranks.size() > 1)
    plan.remarks.push_back(fmt::format("The reports are of {} jobs.", ranks.size()));
  for (const auto& [job, present] : ranks) {
    std::vector<std::int64_t> missing;
    for (std::int64_t rank = 0; rank < std::min(size_of[job], kMaxSize); ++rank)
      if (!present.contains(rank)) missing.push_back(rank);
    if (!missing.empty())
      plan.remarks.push_back(fmt::format("Without a report: rank {}{}.", list_of(missing),
                                         job.empty() ? "" : " of job " + job));
  }
}

}  // namespace

JobPlan plan_job(std::vector<PlannedReport> reports) {
  JobPlan plan{std::move(reports), {}, {}};
  if (!has_ranks(plan.reports)) number(plan.reports);
  leave_out_repeated(plan);
  add_remarks(plan);
  return plan;
}

}  // namespace prof::ranks
