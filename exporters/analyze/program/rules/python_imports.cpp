// Time in which Python imports modules.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "exporters/analyze/program/cpu_rules.hpp"
#include "exporters/analyze/program/rules/code_sums.hpp"

namespace prof::analyze {

namespace {

using events::CallTree;

// An interpreter needs some of them to start. What takes less is not worth a change.
constexpr double kLeastImportTime = 50e6;  // ns

// The file of the outermost module whose code an import executes; empty if it executes none yet.
std::string imported_file(const CodeProfile& profile, Node node) {
  bool is_imported = false;  // an importlib frame is further out
  std::vector<Node> path;
  for (; node != CallTree::kNone; node = profile.tree.parent(node)) path.push_back(node);
  std::reverse(path.begin(), path.end());
  for (const Node each : path) {
    const events::Function& function = function_of(profile, each);
    if (is_importlib(function)) is_imported = true;
    if (is_imported && function.name == "<module>") return function.module;
  }
  return "";
}

}  // namespace

std::optional<Finding> python_imports(CpuFacts& facts) {
  if (!facts.python) return std::nullopt;
  const CodeProfile& profile = *facts.python;
  const std::vector<bool> imports = nodes_in(profile, is_importlib);
  double time = 0;
  std::map<std::string, double> files;
  for (const CodeProfile::Sample& sample : profile.samples) {
    if (!imports[sample.node]) continue;
    time += sample.share;
    files[imported_file(profile, sample.node)] += sample.share;
  }
  if (time < kLeastImportTime) return std::nullopt;
  files.erase("");
  const auto most = std::max_element(
      files.begin(), files.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  const std::string evidence =
      most == files.end()
          ? "imports of modules without Python code"
          : fmt::format("{:.1f} % of it for {}", 100 * most->second / time, most->first);
  return Finding{"python_imports", "Python imports modules", std::llround(time), evidence,
                 "Import what is needed late or not at all (python -X importtime lists the "
                 "modules), or keep the process for more work"};
}

}  // namespace prof::analyze
