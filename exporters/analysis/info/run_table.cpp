#include "exporters/analysis/info/run_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>

namespace prof::info {

namespace {

using tables::Cell;
using tables::CellKind;

bool share_clock(const std::vector<ReportInfo>& reports) {
  return events::share_clock(
      reports, [](const ReportInfo& each) -> const auto& { return each.machine_clock; });
}

bool have_clocks(const std::vector<ReportInfo>& reports) {
  return std::ranges::all_of(reports,
                             [](const ReportInfo& each) { return each.wall_clock.has_value(); });
}

Cell text_cell(std::string_view text) { return text.empty() ? Cell{} : Cell{tables::Text(text)}; }

std::string fact(const ReportInfo& info, std::string_view name) {
  for (const auto& [title, value] : info.machine)
    if (title == name) return value;
  return {};
}

std::int64_t lost_events(const ReportInfo& info) {
  return std::ranges::count_if(info.diagnostics, is_loss);
}

void add_rank_remarks(const std::vector<ReportInfo>& reports, std::vector<std::string>& remarks) {
  std::map<std::string, std::map<std::int64_t, std::set<std::string>>> reports_of;  // by job, rank
  std::map<std::string, std::int64_t> size_of;                                      // by job
  for (const ReportInfo& info : reports)
    for (const Rank& rank : info.ranks) {
      if (rank.precedence != 0) continue;
      reports_of[rank.job][rank.rank].insert(info.path);
      size_of[rank.job] = std::max(size_of[rank.job], rank.size.value_or(0));
    }
  if (reports_of.size() > 1)
    remarks.push_back(fmt::format("The reports are of {} jobs.", reports_of.size()));
  for (const auto& [job, ranks] : reports_of) {
    std::set<std::int64_t> present, several;
    for (const auto& [rank, paths] : ranks) {
      present.insert(rank);
      if (paths.size() > 1) several.insert(rank);
    }
    const std::set<std::int64_t> missing = missing_ranks(present, size_of[job]);
    if (!missing.empty()) remarks.push_back(remark_on_ranks("Without a report", missing, job));
    if (!several.empty()) remarks.push_back(remark_on_ranks("With several reports", several, job));
  }
}

}  // namespace

tables::Table run_table(const std::vector<ReportInfo>& reports) {
  tables::Table table{{{"Rank", CellKind::kText},
                       {"Report", CellKind::kText},
                       {"Host", CellKind::kText},
                       {"Start (ns)", CellKind::kInteger},
                       {"Duration (ns)", CellKind::kInteger},
                       {"GPUs", CellKind::kInteger},
                       {"Losses", CellKind::kInteger},
                       {"Wall Clock", CellKind::kText},
                       {"Command", CellKind::kText}},
                      {}};
  const bool shared = share_clock(reports);
  const auto start_of = [&](const ReportInfo& info) {
    return shared ? info.machine_clock->origin : info.wall_clock->started_epoch;
  };
  std::optional<std::int64_t> first;
  if (have_clocks(reports))
    for (const ReportInfo& info : reports)
      first = std::min(first.value_or(start_of(info)), start_of(info));
  for (const ReportInfo& info : reports)
    table.rows.push_back(
        {text_cell(ranks_text(info.ranks)), text_cell(info.path), text_cell(fact(info, "Host")),
         first ? Cell{start_of(info) - *first} : Cell{}, tables::optional_cell(info.duration),
         Cell{static_cast<std::int64_t>(info.gpus.size())}, Cell{lost_events(info)},
         text_cell(info.wall_clock ? wall_clock_text(*info.wall_clock) : ""),
         text_cell(info.command)});
  return table;
}

std::vector<std::string> run_remarks(const std::vector<ReportInfo>& reports) {
  std::vector<std::string> remarks;
  add_rank_remarks(reports, remarks);
  if (!have_clocks(reports)) {
    remarks.push_back("Starts cannot be compared: not all reports have readings of clocks.");
  } else if (share_clock(reports)) {
    remarks.push_back("Starts are exact: the reports come from one machine and share its clock.");
  } else {
    const bool are_synchronized = std::ranges::all_of(
        reports, [](const ReportInfo& each) { return each.wall_clock->is_synchronized; });
    remarks.push_back(are_synchronized
                          ? "Starts are as exact as the wall clocks of the machines."
                          : "Starts may be wrong by any amount: the wall clock of a machine is not "
                            "synchronized.");
  }
  return remarks;
}

}  // namespace prof::info
