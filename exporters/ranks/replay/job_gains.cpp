#include "exporters/ranks/replay/job_gains.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <unordered_map>
#include <utility>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/replay/changed_costs.hpp"

namespace prof::ranks {

using replay::multiply;
using replay::WhatIf;

JobGains::JobGains(const JobReplay& replay, const std::vector<PlannedReport>& reports)
    : replay_(replay),
      reports_(reports),
      measured_(replay.measured()),
      replayed_(replay.replay(replay.measured_costs())),
      work_(replay) {}

base::Result<JobPrediction> JobGains::predict(const std::vector<WhatIf>& changes) const {
  const auto times = read_times(changes);
  if (!times) return tl::make_unexpected(times.error());
  Costs costs = replay_.measured_costs();
  std::string what;
  for (const WhatIf& change : changes) {
    const auto count = apply(change, *times, costs);
    if (!count) return tl::make_unexpected(count.error());
    if (*count == 0) return base::fail(replay::matches_nothing(change));
    what += (what.empty() ? "" : " + ") + change.text;
  }
  const JobTimes predicted = replay_.replay(costs);
  JobPrediction result;
  result.job = {what, measured_.job, replayed_.job, predicted.job};
  for (std::size_t i = 0; i < reports_.size(); ++i)
    result.reports.push_back(
        {reports_[i].ranks.front().unit,
         {what, measured_.reports[i], replayed_.reports[i], predicted.reports[i]}});
  return result;
}

base::Result<JobGains::Times> JobGains::read_times(const std::vector<WhatIf>& changes) const {
  Times times(reports_.size());
  if (std::ranges::none_of(changes, [](const WhatIf& each) {
        return each.subject == WhatIf::Subject::kRange ||
               each.subject == WhatIf::Subject::kFunction || each.subject == WhatIf::Subject::kIdle;
      }))
    return times;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const auto reader = replay_.job().reports[i].open();
    if (!reader) return tl::make_unexpected(reader.error());
    auto read = replay::read_times(*reader, changes);
    if (!read) return tl::make_unexpected(read.error());
    if (const base::Status finished = reader->finish(); !finished)
      return tl::make_unexpected(finished.error());
    times[i] = *std::move(read);
  }
  return times;
}

base::Result<std::size_t> JobGains::apply(const WhatIf& change, const Times& times,
                                          Costs& costs) const {
  switch (change.subject) {
    case WhatIf::Subject::kNetwork:
      return apply_to_network(change, costs);
    case WhatIf::Subject::kRank:
      return apply_to_rank(change, costs);
    case WhatIf::Subject::kStragglers:
      return level_ranks(change, costs);
    default:
      break;
  }
  std::size_t sum = 0;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const auto count = replay::CostChanges(replay_.model(i), times[i]).apply(change, costs[i]);
    if (!count) return count;
    sum += *count;
  }
  return sum;
}

std::size_t JobGains::apply_to_network(const WhatIf& change, Costs& costs) const {
  for (const JobReplay::Part& each : replay_.parts()) {
    replay::Costs& of = costs[each.report];
    multiply((each.event.is_on_gpu ? of.operations : of.calls)[each.event.index], change.factor);
  }
  return replay_.parts().size();
}

std::size_t JobGains::apply_to_rank(const WhatIf& change, Costs& costs) const {
  std::size_t count = 0;
  const std::vector<JobRank>& ranks = replay_.job().collectives.ranks;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    if (ranks[rank].unit.rank != change.rank) continue;
    if (change.like != WhatIf::Like::kFactor) {
      count += work_.level(rank, work_.levels(change.like, rank), true, costs);
      continue;
    }
    replay::Costs& of = costs[ranks[rank].report];
    work_.for_each_piece(rank, [&](const RankWork::Piece& piece, std::int64_t) {
      ++count;
      work_.multiply_own(piece, ranks[rank].report, change.factor, of);
    });
  }
  return count;
}

// Without stragglers the work before each operation takes as long on each rank as on the median
// rank, or as on average. The average is that of each kernel and of each transfer.
std::size_t JobGains::level_ranks(const WhatIf& change, Costs& costs) const {
  const bool is_mean = change.like == WhatIf::Like::kMean;
  std::size_t count = is_mean ? level_operations(costs) : 0;
  const RankWork::Levels levels = work_.levels(change.like, std::nullopt);
  for (std::size_t rank = 0; rank < replay_.job().collectives.ranks.size(); ++rank)
    count += work_.level(rank, levels, !is_mean, costs);
  return count;
}

std::size_t JobGains::level_operations(Costs& costs) const {
  struct Sum {
    double time = 0;
    double count = 0;
    std::vector<double> transfers = {};
    double transfer = 0;  // the median one
  };
  std::map<std::string, Sum> sums;
  std::vector<std::unordered_map<std::int64_t, Sum*>> known(costs.size());
  const auto sum_of = [&](std::size_t report, std::uint32_t index) -> Sum& {
    const insight::GpuWork& work = replay_.job().reports[report].model.work();
    const insight::Operation each = work.at(index);
    Sum*& sum = known[report][each.name * 4 + static_cast<std::int64_t>(each.kind)];
    if (sum == nullptr) sum = &sums[work.name_of(each)];
    return *sum;
  };
  const auto for_each = [&](auto visit) {
    for (std::size_t report = 0; report < costs.size(); ++report)
      for (std::uint32_t i = 0; i < costs[report].operations.size(); ++i) {
        const bool is_part = work_.is_part_of_job(report, {true, i});
        if (!is_part && replay_.job().reports[report].model.work().at(i).communication) continue;
        visit(sum_of(report, i), costs[report].operations[i], is_part);
      }
  };
  for_each([](Sum& sum, std::int64_t time, bool is_part) {
    if (is_part) sum.transfers.push_back(static_cast<double>(time));
    if (is_part) return;
    sum.time += static_cast<double>(time);
    ++sum.count;
  });
  for (auto& [name, sum] : sums)
    if (!sum.transfers.empty()) sum.transfer = typical(sum.transfers, WhatIf::Like::kMedian);
  for_each([](const Sum& sum, std::int64_t& time, bool is_part) {
    time = std::llround(is_part ? sum.transfer : sum.time / sum.count);
  });
  return sums.size();
}

base::Result<tables::Table> what_if_of_job(const std::vector<PlannedReport>& reports,
                                           const JobCollectives& collectives,
                                           const std::vector<WhatIf>& changes,
                                           const FilterOf& filter_of) {
  const auto job = read_execution(reports, collectives, filter_of);
  if (!job) return tl::make_unexpected(job.error());
  const JobReplay replay(*job);
  const JobGains gains(replay, reports);
  if (changes.empty()) {
    const auto predictions = gains.predict_usual();
    if (!predictions) return tl::make_unexpected(predictions.error());
    return replay::table_of(*predictions);
  }
  const auto prediction = gains.predict(changes);
  if (!prediction) return tl::make_unexpected(prediction.error());
  return table_of(*prediction);
}

base::Result<std::vector<std::optional<replay::Prediction>>> gains_of_ranks(
    const std::vector<PlannedReport>& reports, const JobCollectives& collectives,
    const std::vector<std::int64_t>& ranks, const FilterOf& filter_of) {
  constexpr double kMostDeviation = 0.02;  // of the measured time
  std::vector<std::optional<replay::Prediction>> result(ranks.size());
  const auto job = read_execution(reports, collectives, filter_of);
  if (!job) return tl::make_unexpected(job.error());
  const JobReplay replay(*job);
  const JobGains gains(replay, reports);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const auto change = replay::parse_what_if(fmt::format("rank:{}=median", ranks[i]));
    if (!change) return tl::make_unexpected(change.error());
    const auto prediction = gains.predict({*change});
    if (!prediction) continue;
    const auto measured = static_cast<double>(prediction->job.measured);
    const auto replayed = static_cast<double>(prediction->job.replayed);
    if (std::abs(replayed - measured) <= kMostDeviation * measured) result[i] = prediction->job;
  }
  return result;
}

base::Result<std::vector<replay::Prediction>> JobGains::predict_usual() const {
  constexpr std::size_t kMostRanks = 16;
  std::vector<std::string> words = {"stragglers=0", "network=0"};
  const std::vector<JobRank>& ranks = replay_.job().collectives.ranks;
  if (ranks.size() <= kMostRanks)
    for (const JobRank& each : ranks)
      words.push_back(fmt::format("rank:{}=median", *each.unit.rank));
  std::vector<replay::Prediction> result;
  if (replay_.parts().empty()) return result;
  for (const std::string& each : words) {
    const auto change = replay::parse_what_if(each);
    if (!change) return tl::make_unexpected(change.error());
    auto prediction = predict({*change});
    if (!prediction) return tl::make_unexpected(prediction.error());
    result.push_back(std::move(prediction->job));
  }
  std::ranges::stable_sort(result, std::greater(), &replay::Prediction::gain);
  return result;
}

tables::Table table_of(const JobPrediction& prediction) {
  std::vector<replay::Prediction> all{prediction.job};
  for (const JobPrediction::Report& each : prediction.reports) all.push_back(each.times);
  tables::Table table = replay::table_of(all);
  table.columns.insert(table.columns.begin(), {"Rank", tables::CellKind::kInteger});
  for (std::size_t i = 0; i < table.rows.size(); ++i)
    table.rows[i].insert(
        table.rows[i].begin(),
        i == 0 ? tables::Cell{} : tables::optional_cell(prediction.reports[i - 1].unit.rank));
  return table;
}

}  // namespace prof::ranks
