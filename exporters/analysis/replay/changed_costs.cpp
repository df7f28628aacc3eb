#include "exporters/analysis/replay/changed_costs.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>

#include "common/base/text/regular_expression.hpp"

namespace prof::replay {

void multiply(std::int64_t& time, double factor) {
  if (time > 0) time = std::llround(factor * static_cast<double>(time));
}

base::Result<RangesByName> read_ranges(const report::ReportReader& reader,
                                       const std::vector<WhatIf>& changes) {
  std::vector<std::string> names;
  for (const WhatIf& change : changes)
    if (change.subject == WhatIf::Subject::kRange) names.push_back(change.name);
  return RangeTimes::read(reader, names);
}

base::Result<std::size_t> CostChanges::apply(const WhatIf& change, Costs& costs) const {
  switch (change.subject) {
    case WhatIf::Subject::kRange:
      return apply_to_range(change, costs);
    case WhatIf::Subject::kKernel:
      return apply_to_kernels(change, costs);
    case WhatIf::Subject::kCall:
      return apply_to_calls(change, costs);
    case WhatIf::Subject::kNetwork:
      return apply_to_communication(change, costs);
    case WhatIf::Subject::kRank:
    case WhatIf::Subject::kStragglers:
      break;
  }
  return base::fail(fmt::format("what if {}: needs the reports of several ranks", change.text));
}

std::size_t CostChanges::apply_to_range(const WhatIf& change, Costs& costs) const {
  const RangeTimes& times = ranges_.at(change.name);
  std::size_t count = 0;
  if (times.empty()) return count;
  const path::HostCalls& calls = model_.execution().calls();
  std::vector<bool> launches_inside(calls.size());
  for (const path::HostCalls::Thread& thread : calls.threads())
    for (std::uint32_t call = thread.first; call < thread.end; ++call) {
      const std::int64_t start = calls.start(call);
      const std::int64_t before = start - model_.measured().gaps[call];
      const double of_gap = times.share(thread.global_tid, before, start);
      const double of_call = times.share(thread.global_tid, start, calls.end(call));
      multiply(costs.gaps[call], 1 - (1 - change.factor) * of_gap);
      multiply(costs.calls[call], 1 - (1 - change.factor) * of_call);
      multiply(costs.returns[call], 1 - (1 - change.factor) * of_call);
      launches_inside[call] = times.share(thread.global_tid, start, start) > 0;
      if (of_gap > 0) ++count;
      if (of_call > 0) ++count;
    }
  for (std::uint32_t i = 0; i < costs.operations.size(); ++i) {
    const std::uint32_t launch = model_.execution().launch_of(i);
    if (launch == kNowhere || !launches_inside[launch]) continue;
    multiply(costs.operations[i], change.factor);
    multiply(costs.latencies[i], change.factor);
    multiply(costs.delays[i], change.factor);
    ++count;
  }
  return count;
}

std::size_t CostChanges::apply_to_kernels(const WhatIf& change, Costs& costs) const {
  const auto expression = base::RegularExpression::make(change.name);
  if (!expression) return 0;
  const insight::GpuWork& work = model_.execution().work();
  std::map<std::tuple<insight::WorkKind, std::int64_t, std::uint8_t, std::uint8_t>, bool> known;
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < costs.operations.size(); ++i) {
    const insight::Operation each = work.at(i);
    const auto [at, is_new] =
        known.try_emplace({each.kind, each.name, each.source, each.destination});
    if (is_new) at->second = expression->matches(work.name_of(each));
    if (!at->second) continue;
    multiply(costs.operations[i], change.factor);
    ++count;
  }
  return count;
}

std::size_t CostChanges::apply_to_calls(const WhatIf& change, Costs& costs) const {
  const auto expression = base::RegularExpression::make(change.name);
  if (!expression) return 0;
  const path::HostCalls& calls = model_.execution().calls();
  std::unordered_map<const path::HostCalls::Name*, bool> known;
  std::vector<bool> is_changed(calls.size());
  std::size_t count = 0;
  for (std::uint32_t call = 0; call < calls.size(); ++call) {
    const auto [at, is_new] = known.try_emplace(&calls.name(call));
    if (is_new) at->second = expression->matches(calls.name(call).text);
    if (!at->second) continue;
    is_changed[call] = true;
    multiply(costs.calls[call], change.factor);
    multiply(costs.returns[call], change.factor);
    ++count;
  }
  // Operations that start while their launch runs start sooner in a shorter one.
  for (std::uint32_t i = 0; i < costs.operations.size(); ++i) {
    const std::uint32_t launch = model_.execution().launch_of(i);
    if (launch != kNowhere && is_changed[launch] && !model_.is_after_launch(i))
      multiply(costs.latencies[i], change.factor);
  }
  return count;
}

std::size_t CostChanges::apply_to_communication(const WhatIf& change, Costs& costs) const {
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < costs.operations.size(); ++i) {
    if (!model_.execution().work().at(i).communication) continue;
    multiply(costs.operations[i], change.factor);
    ++count;
  }
  return count;
}

}  // namespace prof::replay
