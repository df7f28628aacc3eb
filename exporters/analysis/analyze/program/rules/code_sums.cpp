#include "exporters/analysis/analyze/program/rules/code_sums.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>

#include "common/base/text/marked_name.hpp"
#include "common/code/names/short_name.hpp"
#include "common/report/stack_words.hpp"
#include "exporters/analysis/analyze/findings/amount_text.hpp"
#include "exporters/analysis/analyze/program/own_code.hpp"
#include "exporters/analysis/events/call_chains/symbol_names.hpp"
#include "exporters/analysis/tables/visible_text.hpp"

namespace prof::analyze {

namespace {

struct Parts {
  double share = 0;
  std::int64_t samples = 0;
  std::map<std::int64_t, double> lines;
  std::map<std::uint32_t, double> callers;  // by frame
};

template <class Key>
Key most(const std::map<Key, double>& parts, Key none) {
  const auto at = std::max_element(
      parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return at == parts.end() ? none : at->first;
}

// Returns a shortened name: names of C++ functions with many types are too long to read. A part
// that the compiler has made of a function has the function's name.
std::string name_text(const events::Function& function) {
  constexpr std::size_t kReadable = 60;
  constexpr std::size_t kMaxLetters = 120;
  const std::string name = function.name.substr(0, function.name.find(" [clone ."));
  return tables::one_line(names::short_name(name, kReadable), kMaxLetters);
}

// Returns the name of a function that other code calls. The name that programs call is shorter than
// a symbol of the C library.
std::string callee_name(const events::Function& function) {
  return is_c_library(function.module) ? std::string(events::public_name(function.name))
                                       : name_text(function);
}

// True if the function has a name. Marks have none, and neither does code of JIT compilers without
// a map.
bool has_name(const events::Function& function) {
  return function.kind != events::CodeKind::kMark && !is_unknown_code(function);
}

// True for V8's own code between functions in JavaScript.
bool is_v8_glue(const events::Function& function) { return function.name.starts_with("Builtins_"); }

// Returns for each node the frame of the first caller that is another function, or kNone if that
// function has no name.
std::vector<std::uint32_t> callers_of(const CodeProfile& profile) {
  std::vector<std::uint32_t> callers(profile.tree.size(), CpuFacts::kNone);
  for (Node node = 0; node < callers.size(); ++node) {
    const Node parent = profile.tree.parent(node);  // the parent has a smaller number
    if (parent == events::CallTree::kNone) continue;
    const bool is_recursion =
        frame_of(profile, parent).function == frame_of(profile, node).function;
    if (is_recursion || is_v8_glue(function_of(profile, parent)))
      callers[node] = callers[parent];
    else if (has_name(function_of(profile, parent)))
      callers[node] = profile.tree.frame(parent);
  }
  return callers;
}

// The sum of the samples that belong to a node.
struct NodeSum {
  double share = 0;
  std::int64_t samples = 0;
};
std::vector<NodeSum> sum_by_node(const CodeProfile& profile, const Choose& choose) {
  std::vector<NodeSum> sums(profile.tree.size());
  for (const CodeProfile::Sample& sample : profile.samples) {
    const Node node = choose(sample);
    if (node == events::CallTree::kNone) continue;
    sums[node].share += sample.share;
    ++sums[node].samples;
  }
  return sums;
}

}  // namespace

std::optional<Where> where_of_samples(const CpuFacts& facts, const CodeProfile& profile,
                                      const std::function<bool(const CodeProfile::Sample&)>& fits) {
  struct Found {
    double share = 0;
    insight::Interval time;
  };
  std::map<std::uint32_t, Found> threads;
  Found all{0,
            {std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}};
  for (const CodeProfile::Sample& sample : profile.samples) {
    if (!fits(sample)) continue;
    const auto [at, is_first] = threads.try_emplace(sample.thread);
    if (is_first) at->second.time.start = sample.time;
    at->second.time.end = sample.time;
    at->second.share += sample.share;
    all.time.start = std::min(all.time.start, sample.time);
    all.time.end = std::max(all.time.end, sample.time);
    all.share += sample.share;
  }
  const auto most = std::max_element(
      threads.begin(), threads.end(),
      [](const auto& a, const auto& b) { return a.second.share < b.second.share; });
  if (most == threads.end()) return std::nullopt;
  if (2 * most->second.share < all.share) return Where{all.time};
  return Where{most->second.time, facts.threads[most->first].global_tid};
}

bool is_unknown_code(const events::Function& function) {
  return function.kind == events::CodeKind::kUnresolved && function.module == report::kUnknownCode;
}

bool is_named_jit_code(const events::Function& function) {
  return function.kind == events::CodeKind::kNative && function.module == report::kJitModule;
}

std::vector<Node> nearest_nodes(const CodeProfile& profile,
                                const std::function<bool(const events::Function&)>& is_wanted) {
  std::vector<Node> nodes(profile.tree.size(), events::CallTree::kNone);
  for (Node node = 0; node < nodes.size(); ++node) {
    const Node parent = profile.tree.parent(node);  // the parent has a smaller number
    if (is_wanted(function_of(profile, node)))
      nodes[node] = node;
    else if (parent != events::CallTree::kNone)
      nodes[node] = nodes[parent];
  }
  return nodes;
}

std::vector<bool> nodes_in(const CodeProfile& profile,
                           const std::function<bool(const events::Function&)>& is_wanted) {
  std::vector<bool> wanted(profile.code.functions());
  for (std::uint32_t i = 0; i < wanted.size(); ++i) wanted[i] = is_wanted(profile.code.function(i));
  std::vector<bool> nodes(profile.tree.size());
  for (Node node = 0; node < nodes.size(); ++node) {
    const Node parent = profile.tree.parent(node);  // the parent has a smaller number
    nodes[node] = wanted[frame_of(profile, node).function] ||
                  (parent != events::CallTree::kNone && nodes[parent]);
  }
  return nodes;
}

bool is_page_fault(const events::Function& function) {
  static constexpr std::string_view kNames[] = {"asm_exc_page_fault", "exc_page_fault",
                                                "do_user_addr_fault", "handle_mm_fault",
                                                "__do_page_fault",    "do_page_fault"};
  return function.kind == events::CodeKind::kKernel &&
         std::ranges::find(kNames, function.name) != std::end(kNames);
}

bool is_copy_on_write(const events::Function& function) {
  return function.kind == events::CodeKind::kKernel && function.name == "do_wp_page";
}

bool is_dynamic_linker(const events::Function& function) {
  if (function.kind != events::CodeKind::kNative && function.kind != events::CodeKind::kUnresolved)
    return false;
  const std::string_view module = function.module;
  const std::string_view file = module.substr(module.rfind('/') + 1);
  return function.name.starts_with("_dl_") || file.starts_with("ld-linux") ||
         file.starts_with("ld-musl");
}

bool is_importlib(const events::Function& function) {
  return function.kind == events::CodeKind::kPython &&
         function.module.find("importlib._bootstrap") != std::string::npos;
}

std::vector<FunctionSum> sum_by_function(const CodeProfile& profile, const Choose& choose) {
  const std::vector<NodeSum> nodes = sum_by_node(profile, choose);
  const std::vector<std::uint32_t> callers = callers_of(profile);
  std::unordered_map<std::uint32_t, Parts> functions;
  for (Node node = 0; node < nodes.size(); ++node) {
    const auto& [share, samples] = nodes[node];
    if (samples == 0) continue;
    Parts& parts = functions[frame_of(profile, node).function];
    parts.share += share;
    parts.samples += samples;
    parts.lines[frame_of(profile, node).line] += share;
    parts.callers[callers[node]] += share;
  }
  std::vector<FunctionSum> sums;
  for (const auto& [function, parts] : functions)
    sums.push_back({function, parts.share, parts.samples, most(parts.lines, std::int64_t{0}),
                    most(parts.callers, CpuFacts::kNone)});
  std::sort(sums.begin(), sums.end(), [](const FunctionSum& a, const FunctionSum& b) {
    return std::tuple(-a.share, a.function) < std::tuple(-b.share, b.function);
  });
  return sums;
}

std::string code_text(const events::Function& function, std::int64_t line) {
  const std::string name = name_text(function);
  const std::string place = events::location(function, line);
  return base::mark_name(
      "function", place.empty() || place == name ? name : fmt::format("{} ({})", name, place));
}

namespace {

// Returns ", 70 % of it in memcpy": the function that most samples of a function are in, if it is
// another one. Empty if no function has a large part.
std::string callee_text(const CodeProfile& profile, const FunctionSum& sum, const Choose& choose) {
  constexpr double kMinPart = 0.25;
  std::map<std::string, double> callees;
  for (const CodeProfile::Sample& sample : profile.samples) {
    const Node node = choose(sample);
    if (node == events::CallTree::kNone || node == sample.node ||
        frame_of(profile, node).function != sum.function)
      continue;
    const events::Function& innermost = function_of(profile, sample.node);
    if (has_name(innermost)) callees[callee_name(innermost)] += sample.share;
  }
  const std::string callee = most(callees, std::string());
  if (callee.empty() || callees.at(callee) < kMinPart * sum.share) return "";
  return fmt::format(", {:.0f} % of it in {}", 100 * callees.at(callee) / sum.share,
                     base::mark_name("function", callee));
}

}  // namespace

std::string evidence_of(const CodeProfile& profile, const std::vector<FunctionSum>& sums,
                        const Choose& choose, double time) {
  constexpr std::size_t kOthers = 2;
  constexpr double kMinPercent = 5;  // minimum share of the functions named after the first
  const FunctionSum& first = sums.front();
  std::string text = code_text(profile.code.function(first.function), first.line);
  text += callee_text(profile, first, choose);
  if (first.caller != CpuFacts::kNone)
    text += fmt::format(", called by {}", code_text(profile.code.function_of(first.caller),
                                                    profile.code.frame(first.caller).line));
  text += "; " + count_text(first.samples, "sample");
  std::string others;
  for (std::size_t i = 1; i < sums.size() && i <= kOthers; ++i) {
    const double percent = 100 * sums[i].share / time;
    if (percent < kMinPercent) break;
    others += fmt::format(
        "{}{} ({:.1f} %)", others.empty() ? "; then " : ", ",
        base::mark_name("function", name_text(profile.code.function(sums[i].function))), percent);
  }
  return text + others;
}

}  // namespace prof::analyze
