#include "exporters/analysis/replay/changed_costs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "common/base/text/regular_expression.hpp"

namespace prof::replay {

void multiply(std::int64_t& time, double factor) {
  if (time > 0) time = factor == 0 ? 0 : std::llround(factor * static_cast<double>(time));
}

base::Result<std::size_t> CostChanges::apply(const WhatIf& change, Costs& costs) const {
  switch (change.subject) {
    case WhatIf::Subject::kRange:
      return apply_to_range(change, costs);
    case WhatIf::Subject::kFunction:
      return apply_to_function(change, costs);
    case WhatIf::Subject::kKernel:
      return apply_to_kernels(change, costs);
    case WhatIf::Subject::kCall:
      return apply_to_calls(change, costs);
    case WhatIf::Subject::kCompute:
    case WhatIf::Subject::kCopies:
    case WhatIf::Subject::kNetwork:
      return apply_to_work(change, costs);
    case WhatIf::Subject::kIdle:
      return apply_to_idle(change, costs);
    case WhatIf::Subject::kRank:
    case WhatIf::Subject::kStragglers:
      break;
  }
  return base::fail(fmt::format("what if {}: needs the reports of several ranks", change.text));
}

std::size_t CostChanges::apply_to_range(const WhatIf& change, Costs& costs) const {
  const RangeTimes& times = times_.ranges.at(change.name);
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

// Only the code between calls is of the function. What it waits for in calls is not.
std::size_t CostChanges::apply_to_function(const WhatIf& change, Costs& costs) const {
  const auto found = times_.functions.find(change.name);
  if (found == times_.functions.end() || found->second.empty()) return 0;
  const path::HostCalls& calls = model_.execution().calls();
  std::size_t count = 0;
  for (const path::HostCalls::Thread& thread : calls.threads())
    for (std::uint32_t call = thread.first; call < thread.end; ++call) {
      const std::int64_t start = calls.start(call);
      const double share =
          found->second.share(thread.global_tid, start - model_.measured().gaps[call], start);
      if (share <= 0) continue;
      multiply(costs.gaps[call], 1 - (1 - change.factor) * share);
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

std::size_t CostChanges::apply_to_work(const WhatIf& change, Costs& costs) const {
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < costs.operations.size(); ++i) {
    const insight::Operation each = model_.execution().work().at(i);
    const bool is_copy =
        each.kind == insight::WorkKind::kCopy || each.kind == insight::WorkKind::kFill;
    const WhatIf::Subject subject = is_copy              ? WhatIf::Subject::kCopies
                                    : each.communication ? WhatIf::Subject::kNetwork
                                                         : WhatIf::Subject::kCompute;
    if (subject != change.subject) continue;
    multiply(costs.operations[i], change.factor);
    ++count;
  }
  return count;
}

std::size_t CostChanges::apply_to_idle(const WhatIf& change, Costs& costs) const {
  const auto of_kind = times_.idle.find(change.idle);
  if (of_kind == times_.idle.end()) return 0;
  const IdlePieces& idle = of_kind->second;
  if (change.idle == insight::IdleKind::kSync) return apply_to_waits(idle, costs);
  const path::HostCalls& calls = model_.execution().calls();
  for (const path::HostCalls::Thread& thread : calls.threads())
    for (std::uint32_t call = thread.first; call < thread.end; ++call) {
      const std::int64_t start = calls.start(call);
      const auto change_part = [&](std::int64_t& cost, double share) {
        if (share > 0) multiply(cost, 1 - (1 - change.factor) * share);
      };
      change_part(
          costs.gaps[call],
          idle.threads.share(thread.global_tid, start - model_.measured().gaps[call], start));
      const double of_call = idle.threads.share(thread.global_tid, start, calls.end(call));
      change_part(costs.calls[call], of_call);
      change_part(costs.returns[call], of_call);
      // A wait for another thread is not needed either.
      const bool is_needless = (1 - change.factor) * of_call > 0.5 && model_.waits_for_thread(call);
      if (!is_needless) continue;
      costs.free_waits.resize(calls.size());
      costs.free_waits[call] = true;
    }
  if (change.idle == insight::IdleKind::kCpu || change.idle == insight::IdleKind::kDataLoading)
    return idle.next.size();
  for (std::uint32_t i = 0; i < costs.operations.size(); ++i) {
    const std::pair place(model_.execution().work().at(i).device, model_.execution().start_of(i));
    if (!std::ranges::binary_search(idle.next, place)) continue;
    multiply(costs.latencies[i], change.factor);
    if (change.idle == insight::IdleKind::kGraph) multiply(costs.delays[i], change.factor);
  }
  return idle.next.size();
}

// Synchronizations after which the GPU is idle do not wait.
std::size_t CostChanges::apply_to_waits(const IdlePieces& idle, Costs& costs) const {
  const path::HostCalls& calls = model_.execution().calls();
  costs.free_waits.resize(calls.size());
  for (const path::HostCalls::Thread& thread : calls.threads())
    for (std::uint32_t call = thread.first; call < thread.end; ++call) {
      if (calls.role(call) != path::CallRole::kGpuWait && !model_.waits_for_operation(call))
        continue;
      const double share =
          idle.threads.share(thread.global_tid, calls.start(call), calls.end(call));
      if (share <= 0) continue;
      costs.free_waits[call] = true;
      // Of an unknown wait only the part is known that the GPU was idle.
      if (!model_.waits_for_operation(call)) multiply(costs.calls[call], 1 - share);
    }
  return idle.next.size();
}

}  // namespace prof::replay
