#include "exporters/analysis/replay/gains.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <tuple>
#include <utility>

#include "exporters/analysis/path/path_sums.hpp"
#include "exporters/analysis/replay/changed_costs.hpp"
#include "exporters/analysis/replay/execution_replay.hpp"
#include "exporters/analysis/tables/percent.hpp"

namespace prof::replay {

namespace {

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
    change.name = subject == WhatIf::Subject::kRange ? sum.name : expression_of({sum.name});
    change.text = fmt::format("{}:{}=0", prefix, sum.name);
    result.push_back(std::move(change));
  }
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
    case WhatIf::Subject::kFunction:
      return fmt::format(
          "what if {}: no thread with calls was sampled in such a function (prof stats -r "
          "cpu_sample_sum,python_sample_sum lists them)",
          change.text);
    case WhatIf::Subject::kRank:
      return fmt::format("what if {}: no report has this rank", change.text);
    case WhatIf::Subject::kCompute:
      return fmt::format("what if {}: the report has no kernels that compute", change.text);
    case WhatIf::Subject::kCopies:
      return fmt::format("what if {}: the report has no copies or fills", change.text);
    case WhatIf::Subject::kIdle:
      return fmt::format(
          "what if {}: GPUs have no such idle times (prof stats -r gpu_idle_sum lists them)",
          change.text);
    case WhatIf::Subject::kNetwork:
      return fmt::format("what if {}: the report has no communication kernels", change.text);
    case WhatIf::Subject::kStragglers:
      break;
  }
  return fmt::format("what if {}: no collective operation of several ranks was found", change.text);
}

ReportGains::ReportGains(std::unique_ptr<path::ExecutionModel> execution)
    : execution_(std::move(execution)), model_(*execution_) {
  unchanged_.measured = model_.elapsed();
  unchanged_.replayed = replayed_time(model_, model_.measured());
  unchanged_.predicted = unchanged_.replayed;
}

base::Result<ReportGains> ReportGains::read(const report::ReportReader& reader) {
  auto execution = path::ExecutionModel::read(reader);
  if (!execution) return tl::make_unexpected(execution.error());
  return ReportGains(std::make_unique<path::ExecutionModel>(*std::move(execution)));
}

base::Result<Prediction> ReportGains::predict(const std::vector<WhatIf>& changes,
                                              const ChangeTimes& times) const {
  const CostChanges cost_changes(model_, times);
  Prediction result = unchanged_;
  Costs costs = model_.measured();
  for (const WhatIf& change : changes) {
    const auto count = cost_changes.apply(change, costs);
    if (!count) return tl::make_unexpected(count.error());
    if (*count == 0) return base::fail(matches_nothing(change));
    result.what += (result.what.empty() ? "" : " + ") + change.text;
  }
  result.predicted = replayed_time(model_, costs);
  return result;
}

base::Result<Prediction> predict(const report::ReportReader& reader,
                                 const std::vector<WhatIf>& changes) {
  const auto gains = ReportGains::read(reader);
  if (!gains) return tl::make_unexpected(gains.error());
  const auto times = read_times(reader, changes);
  if (!times) return tl::make_unexpected(times.error());
  return gains->predict(changes, *times);
}

base::Result<std::vector<Prediction>> predict_for_path(const report::ReportReader& reader) {
  const auto gains = ReportGains::read(reader);
  if (!gains) return tl::make_unexpected(gains.error());
  const path::ExecutionModel& execution = gains->execution();
  const auto segments = path::critical_path(execution);
  std::vector<WhatIf> changes;
  constexpr std::tuple<path::PathBy, WhatIf::Subject, const char*> kSubjects[] = {
      {path::PathBy::kRange, WhatIf::Subject::kRange, "range"},
      {path::PathBy::kKernel, WhatIf::Subject::kKernel, "kernel"},
      {path::PathBy::kCall, WhatIf::Subject::kCall, "call"}};
  for (const auto& [by, subject, prefix] : kSubjects) {
    const auto sums = path::sum_path(reader, execution, segments, by);
    if (!sums) return tl::make_unexpected(sums.error());
    std::ranges::move(largest(*sums, subject, prefix), std::back_inserter(changes));
  }
  const auto times = read_times(reader, changes);
  if (!times) return tl::make_unexpected(times.error());
  std::vector<Prediction> result;
  for (const WhatIf& change : changes) {
    // What is on the path, but has no events of this name, saves nothing.
    result.push_back(gains->predict({change}, *times).value_or(gains->unchanged()));
    result.back().what = change.text;
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
