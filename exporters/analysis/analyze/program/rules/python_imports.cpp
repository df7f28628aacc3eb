// Finds time in which Python imports modules.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "exporters/analysis/analyze/program/cpu_rules.hpp"
#include "exporters/analysis/analyze/program/rules/code_sums.hpp"

namespace prof::analyze {

namespace {

using events::CallTree;

// Minimum time of imports. An interpreter needs some imports to start, and less time is not worth a
// change.
constexpr double kMinImportTime = 100e6;  // ns
constexpr double kMinImportShare = 0.15;  // of the time with a CPU

// Returns the code that starts an import: the caller of the outermost frame of the import system.
// Empty if there is none.
std::string importing_code(const CodeProfile& profile, Node node) {
  Node outermost = CallTree::kNone;
  for (; node != CallTree::kNone; node = profile.tree.parent(node))
    if (is_importlib(function_of(profile, node))) outermost = node;
  const Node caller = profile.tree.parent(outermost);
  if (caller == CallTree::kNone) return "";
  return code_text(function_of(profile, caller), frame_of(profile, caller).line);
}

}  // namespace

std::optional<Finding> python_imports(CpuFacts& facts) {
  if (!facts.python) return std::nullopt;
  const CodeProfile& profile = *facts.python;
  const std::vector<bool> imports = nodes_in(profile, is_importlib);
  double time = 0;
  std::map<Node, double> nodes;
  for (const CodeProfile::Sample& sample : profile.samples) {
    if (!imports[sample.node]) continue;
    time += sample.share;
    nodes[sample.node] += sample.share;
  }
  if (time < std::max(kMinImportTime, kMinImportShare * facts.time_with_cpu())) return std::nullopt;
  std::map<std::string, double> places;
  for (const auto& [node, share] : nodes) places[importing_code(profile, node)] += share;
  places.erase("");
  const auto most =
      std::max_element(places.begin(), places.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  const std::string evidence = most == places.end()
                                   ? "before the program's own code runs"
                                   : fmt::format("{:.1f} % of it in the import by {}",
                                                 100 * most->second / time, most->first);
  return Finding{"python_imports",
                 "Python imports modules",
                 std::llround(time),
                 evidence,
                 "Import what is needed late or not at all (python -X importtime lists the "
                 "modules), or keep the process for more work",
                 where_of_samples(facts, profile, [&](const CodeProfile::Sample& sample) {
                   return imports[sample.node];
                 })};
}

}  // namespace prof::analyze
