#include "exporters/analysis/replay/gains.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <tuple>

#include "exporters/analysis/path/path_sums.hpp"
#include "exporters/analysis/replay/changed_costs.hpp"
#include "exporters/analysis/replay/execution_replay.hpp"
#include "exporters/analysis/tables/percent.hpp"

namespace prof::replay {

namespace {

// Returns an expression that matches the text only.
std::string exactly(const std::string& text) {
  std::string result = "^";
  for (const char c : text) {
    if (std::string_view("\\^$.[]|()*+?{}").find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result + "$";
}

// The changes that free a name on the path.
std::vector<WhatIf> largest(const std::vector<path::PathSum>& sums, WhatIf::Subject subject,
                            const char* prefix) {
  constexpr std::size_t kMost = 5;
  std::vector<WhatIf> result;
  for (const path::PathSum& sum : sums) {
    if (result.size() == kMost) break;
    // Names in brackets are kinds. Copies have such names, too.
    if (sum.name.starts_with('[') && !sum.name.starts_with("[CUDA ")) continue;
    WhatIf change;
    change.subject = subject;
    change.name = subject == WhatIf::Subject::kRange ? sum.name : exactly(sum.name);
    change.text = fmt::format("{}:{}=0", prefix, sum.name);
    result.push_back(std::move(change));
  }
  return result;
}

Prediction without_change(const ReplayModel& model) {
  Prediction result;
  result.measured = model.elapsed();
  result.replayed = replayed_time(model, model.measured());
  return result;
}

}  // namespace

std::string matches_nothing(const WhatIf& change) {
  switch (change.subject) {
    case WhatIf::Subject::kRange:
      return fmt::format(
          "what if {}: no NVTX range has this name (prof stats -r nvtx_sum lists them)",
          change.text);
    case WhatIf::Subject::kKernel:
      return fmt::format(
          "what if {}: no GPU operation has such a name (prof stats -r cuda_gpu_sum lists them)",
          change.text);
    case WhatIf::Subject::kCall:
      return fmt::format(
          "what if {}: no call has such a name (prof stats -r cuda_api_sum,osrt_sum lists them)",
          change.text);
    case WhatIf::Subject::kRank:
      return fmt::format("what if {}: no report has this rank", change.text);
    case WhatIf::Subject::kNetwork:
      return fmt::format("what if {}: the report has no communication kernels", change.text);
    case WhatIf::Subject::kStragglers:
      break;
  }
  return fmt::format("what if {}: no collective operation of several ranks was found", change.text);
}

base::Result<Prediction> predict(const report::ReportReader& reader,
                                 const std::vector<WhatIf>& changes) {
  const auto execution = path::ExecutionModel::read(reader);
  if (!execution) return tl::make_unexpected(execution.error());
  const auto ranges = read_ranges(reader, changes);
  if (!ranges) return tl::make_unexpected(ranges.error());
  const ReplayModel model(*execution);
  const CostChanges cost_changes(model, *ranges);
  Prediction result = without_change(model);
  Costs costs = model.measured();
  for (const WhatIf& change : changes) {
    const auto count = cost_changes.apply(change, costs);
    if (!count) return tl::make_unexpected(count.error());
    if (*count == 0) return base::fail(matches_nothing(change));
    result.what += (result.what.empty() ? "" : " + ") + change.text;
  }
  result.predicted = replayed_time(model, costs);
  return result;
}

base::Result<std::vector<Prediction>> predict_for_path(const report::ReportReader& reader) {
  const auto execution = path::ExecutionModel::read(reader);
  if (!execution) return tl::make_unexpected(execution.error());
  std::vector<path::Segment> segments;
  path::BackwardWalk(*execution, segments).run(execution->last_place(), execution->begin());
  std::vector<WhatIf> changes;
  constexpr std::tuple<path::PathBy, WhatIf::Subject, const char*> kSubjects[] = {
      {path::PathBy::kRange, WhatIf::Subject::kRange, "range"},
      {path::PathBy::kKernel, WhatIf::Subject::kKernel, "kernel"},
      {path::PathBy::kCall, WhatIf::Subject::kCall, "call"}};
  for (const auto& [by, subject, prefix] : kSubjects) {
    const auto sums = path::sum_path(reader, *execution, segments, by);
    if (!sums) return tl::make_unexpected(sums.error());
    std::ranges::move(largest(*sums, subject, prefix), std::back_inserter(changes));
  }
  const auto ranges = read_ranges(reader, changes);
  if (!ranges) return tl::make_unexpected(ranges.error());
  const ReplayModel model(*execution);
  const CostChanges cost_changes(model, *ranges);
  const Prediction unchanged = without_change(model);
  std::vector<Prediction> result;
  for (const WhatIf& change : changes) {
    Costs costs = model.measured();
    const auto count = cost_changes.apply(change, costs);
    if (!count) return tl::make_unexpected(count.error());
    Prediction& prediction = result.emplace_back(unchanged);
    prediction.what = change.text;
    prediction.predicted = replayed_time(model, costs);
  }
  std::ranges::stable_sort(result, std::greater(), &Prediction::gain);
  return result;
}

tables::Table table_of(const std::vector<Prediction>& predictions) {
  using tables::CellKind;
  tables::Table table{{{"Gain (%)", CellKind::kReal, 1},
                       {"Gain (ns)", CellKind::kInteger},
                       {"Predicted (ns)", CellKind::kInteger},
                       {"Replayed (ns)", CellKind::kInteger},
                       {"Measured (ns)", CellKind::kInteger},
                       {"What If", CellKind::kText}},
                      {}};
  for (const Prediction& each : predictions)
    table.rows.push_back({tables::percent(each.gain(), each.replayed), each.gain(), each.predicted,
                          each.replayed, each.measured, each.what});
  return table;
}

}  // namespace prof::replay
