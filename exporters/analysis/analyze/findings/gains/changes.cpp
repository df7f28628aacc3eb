#include "exporters/analysis/analyze/findings/gains/changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "exporters/analysis/replay/what_if.hpp"

namespace prof::analyze {

namespace {

using insight::Operation;
using insight::WorkKind;

// The findings whose change has always the same words.
constexpr std::pair<std::string_view, const char*> kChanges[] = {
    {"synchronization", "idle:sync=0"},    {"data_loading", "idle:data-loading=0"},
    {"cpu_bound", "idle:cpu=0"},           {"slow_calls", "idle:calls=0"},
    {"launch_bound", "idle:launches*0.5"}, {"graph_gaps", "idle:graph*0.5"},
};

// Copies between the host and devices. Calls that copy pageable memory take as long as their
// copies.
constexpr const char* kHostCopies = "kernel:memcpy (Host-to-Device|Device-to-Host)";
constexpr const char* kCopyCalls = "call:^cu(da)?Memcpy";

bool is_host_copy(const Operation& each) {
  constexpr std::int64_t kHostToDevice = 1;
  constexpr std::int64_t kDeviceToHost = 2;
  return each.kind == WorkKind::kCopy && (each.name == kHostToDevice || each.name == kDeviceToHost);
}

bool computes(const Operation& each) {
  return !each.communication && (each.kind == WorkKind::kKernel || each.kind == WorkKind::kGraph);
}

template <class Fits>
std::int64_t time_of(const Facts& facts, Fits fits) {
  std::int64_t sum = 0;
  for (const Operation& each : facts.work.operations())
    if (fits(each)) sum += each.duration();
  return sum;
}

// Returns the factor of a time of `all` ns from which `saved` ns are taken, as a change has it.
std::string factor_of(std::int64_t saved, std::int64_t all) {
  constexpr double kDigits = 1e4;
  const double left = 1 - static_cast<double>(saved) / static_cast<double>(all);
  const double factor = std::round(std::max(0.0, left) * kDigits) / kDigits;
  return factor == 0 ? "=0" : fmt::format("*{}", factor);
}

std::string shortened(const std::string& subject, std::int64_t saved, std::int64_t all) {
  return all <= 0 ? "" : subject + factor_of(saved, all);
}

// A regular expression of a change has at most 10,000 bytes, so there may be several of them.
std::string change_of_kernels(const Finding& finding, const Facts& facts) {
  constexpr std::size_t kMostBytes = 9000;
  const std::set<std::int64_t> ids(finding.kernels.begin(), finding.kernels.end());
  const std::int64_t all = time_of(facts, [&](const Operation& each) {
    return each.kind == WorkKind::kKernel && ids.contains(each.name);
  });
  if (all <= 0) return {};
  std::set<std::string> names;
  for (const std::int64_t each : ids) names.insert(facts.work.kernel_name(each));
  const std::string factor = factor_of(finding.savings(), all);
  std::string result;
  std::vector<std::string> part;
  const auto add_part = [&] {
    if (part.empty()) return;
    result += (result.empty() ? "kernel:" : " + kernel:") + replay::expression_of(part) + factor;
    part.clear();
  };
  for (const std::string& name : names) {
    part.push_back(name);
    if (replay::expression_of(part).size() <= kMostBytes) continue;
    part.pop_back();
    add_part();
    if (replay::expression_of({name}).size() <= kMostBytes) part.push_back(name);
  }
  add_part();
  return result;
}

// The kernels that save most come first.
std::string change_of_parts(const Finding& finding, const Facts& facts) {
  constexpr std::size_t kMostKernels = 16;
  constexpr std::size_t kMostBytes = 900;  // of a regular expression
  std::string result;
  for (std::size_t i = 0; i < std::min(kMostKernels, finding.kernels.size()); ++i) {
    const std::string name = replay::expression_of({facts.work.kernel_name(finding.kernels[i])});
    if (name.size() > kMostBytes || finding.parts[i] <= 0) continue;
    constexpr std::int64_t kAll = 1'000'000;
    result += (result.empty() ? "kernel:" : " + kernel:") + name +
              factor_of(std::llround(finding.parts[i] * kAll), kAll);
  }
  return result;
}

std::string change_of_allocations(const Facts& facts) {
  std::set<std::string> names;
  for (const events::ApiCall& call : facts.calls.calls())
    if (insight::is_blocking_allocation(facts.calls.name(call)))
      names.insert(facts.calls.name(call));
  std::string result;
  for (const std::string& each : names) result += (result.empty() ? "call:^(" : "|") + each;
  return result.empty() ? result : result + ")(_|$)=0";
}

}  // namespace

std::string change_of(const Finding& finding, const Facts& facts) {
  const std::string_view rule = finding.rule;
  for (const auto& [name, change] : kChanges)
    if (rule == name) return change;
  if (!finding.parts.empty()) return change_of_parts(finding, facts);
  if (!finding.kernels.empty()) return change_of_kernels(finding, facts);
  if (rule == "allocator_churn") return change_of_allocations(facts);
  if (rule == "gpu_throttled" || rule == "idle_multiprocessors")
    return shortened("compute", finding.savings(), time_of(facts, computes));
  if (rule == "exposed_communication" || rule == "slow_links" || rule == "small_messages")
    return shortened("network", finding.savings(),
                     time_of(facts, [](const Operation& each) { return each.communication; }));
  const std::int64_t copies = time_of(facts, is_host_copy);
  if (copies > 0 && (rule == "pageable_copies" || rule == "small_copies")) {
    const std::string factor = factor_of(finding.savings(), copies);
    return kHostCopies + factor + " + " + kCopyCalls + factor;
  }
  if (rule == "serial_copies" || rule == "single_stream" || rule == "full_pcie")
    return shortened(kHostCopies, finding.savings(), copies);
  return {};
}

}  // namespace prof::analyze
