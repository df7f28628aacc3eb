#include "exporters/ranks/job_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "exporters/analysis/info/job_facts.hpp"
#include "exporters/ranks/run_sums.hpp"

namespace prof::ranks {

namespace {

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
    const std::set<std::int64_t> missing = info::missing_ranks(present, size_of[job]);
    if (!missing.empty())
      plan.remarks.push_back(info::remark_on_ranks("Without a report", missing, job));
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
