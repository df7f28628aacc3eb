// Finds functions that take a large part of the time.
#include <cmath>

#include "exporters/analysis/analyze/program/cpu_rules.hpp"
#include "exporters/analysis/analyze/program/own_code.hpp"
#include "exporters/analysis/analyze/program/rules/code_sums.hpp"

namespace prof::analyze {

namespace {

using events::CallTree;
using events::CodeKind;

// Minimum share of the time with a CPU. A function below it is one of many.
constexpr double kHotShare = 0.25;
// Minimum number of samples. Fewer samples say little.
constexpr std::int64_t kMinCpuSamples = 20;

bool is_hot(const std::vector<FunctionSum>& sums, double time) {
  return !sums.empty() && sums.front().share >= kHotShare * time &&
         sums.front().samples >= kMinCpuSamples;
}

// Returns where the samples are that count for a function.
std::optional<Where> where_of_function(const CpuFacts& facts, const CodeProfile& profile,
                                       const Choose& counted, std::uint32_t function) {
  return where_of_samples(facts, profile, [&](const CodeProfile::Sample& sample) {
    const Node node = counted(sample);
    return node != CallTree::kNone && frame_of(profile, node).function == function;
  });
}

Finding native_finding(const events::Function& function) {
  Finding finding;
  finding.rule = "hot_function";
  if (is_unknown_code(function)) {
    finding.sentence = "Code that was made at run time takes much of the time";
    finding.remedy =
        std::string("Let its compiler write down the names, and record again: ") + kNamesOfJitCode;
  } else if (function.kind == CodeKind::kUnresolved) {
    finding.sentence = "Code without function names takes much of the time";
    finding.remedy =
        "Install the symbols of this file, or build it with symbols (-g, not stripped), and record "
        "again";
  } else if (is_python_interpreter(function)) {
    finding.sentence = "Python's interpreter takes much of the time";
    finding.remedy = "Record which Python functions it runs: prof profile --python-sampling=true";
  } else {
    finding.sentence = "One function takes much of the time";
    finding.remedy =
        "Make it cheaper or call it less often; prof stats -r cpu_sample_tree shows the paths to "
        "it, and cpu_sample_sum --lines its lines";
  }
  return finding;
}

}  // namespace

std::optional<Finding> hot_function(CpuFacts& facts) {
  if (!facts.native) return std::nullopt;
  const CodeProfile& profile = *facts.native;
  // A library's time counts for the user's function that called it. The rule hot_python_function
  // reports what Python code calls, and other rules report the time in the kernel.
  const std::vector<Node> callers = nearest_nodes(profile, [](const events::Function& function) {
    return is_own_code(function) || is_unknown_code(function) || is_python_interpreter(function);
  });
  const auto counted = [&](const CodeProfile::Sample& sample) {
    const events::Function& innermost = function_of(profile, sample.node);
    if (innermost.kind != CodeKind::kNative && innermost.kind != CodeKind::kUnresolved)
      return CallTree::kNone;
    const Node caller = callers[sample.node];
    if (caller == CallTree::kNone) return sample.node;
    if (!is_python_interpreter(function_of(profile, caller))) return caller;
    return facts.python ? CallTree::kNone : sample.node;
  };
  const auto sums = sum_by_function(profile, counted);
  if (!is_hot(sums, facts.time_with_cpu())) return std::nullopt;
  Finding finding = native_finding(profile.code.function(sums.front().function));
  finding.at_stake = std::llround(sums.front().share);
  finding.evidence = evidence_of(profile, sums, counted, facts.time);
  finding.where = where_of_function(facts, profile, counted, sums.front().function);
  finding.function = profile.code.function(sums.front().function).name;
  return finding;
}

std::optional<Finding> hot_python_function(CpuFacts& facts) {
  if (!facts.python) return std::nullopt;
  const CodeProfile& profile = *facts.python;
  const std::vector<bool> imports = nodes_in(profile, is_importlib);
  const std::vector<Node> own_code = nearest_nodes(profile, is_own_code);
  const auto counted = [&](const CodeProfile::Sample& sample) {
    const bool is_code = function_of(profile, sample.node).kind == CodeKind::kPython;
    if (!is_code || imports[sample.node]) return CallTree::kNone;
    return own_code[sample.node] != CallTree::kNone ? own_code[sample.node] : sample.node;
  };
  const auto sums = sum_by_function(profile, counted);
  if (!is_hot(sums, facts.time_with_cpu())) return std::nullopt;
  Finding finding{"hot_python_function",
                  "One Python function takes much of the time",
                  std::llround(sums.front().share),
                  evidence_of(profile, sums, counted, facts.time),
                  "Do less in it, or do it in native code (NumPy, a built-in function, a compiled "
                  "module); prof stats -r python_sample_sum shows its lines with :line",
                  where_of_function(facts, profile, counted, sums.front().function)};
  finding.function = profile.code.function(sums.front().function).name;
  return finding;
}

}  // namespace prof::analyze
