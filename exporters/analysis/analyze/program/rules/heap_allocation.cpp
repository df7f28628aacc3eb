// Finds time in which the program takes memory from the heap and gives it back.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "exporters/analysis/analyze/findings/amount_text.hpp"
#include "exporters/analysis/analyze/program/cpu_rules.hpp"
#include "exporters/analysis/analyze/program/own_code.hpp"
#include "exporters/analysis/analyze/program/rules/code_sums.hpp"
#include "exporters/analysis/analyze/program/waits/places.hpp"
#include "exporters/analysis/events/call_chains/symbol_names.hpp"

namespace prof::analyze {

namespace {

using events::CallTree;
using events::CodeKind;
using events::Function;

// Minimum share of the time with a CPU. Most programs need a few percent.
constexpr double kMinHeapShare = 0.15;
// Minimum number of samples. Fewer samples say little.
constexpr std::int64_t kMinHeapSamples = 20;
// Minimum share of the finding's time of a function or a place that is named.
constexpr double kMinPart = 0.1;

bool remove_prefix(std::string_view& name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return false;
  name.remove_prefix(prefix.size());
  return true;
}

// Returns the function of the heap that programs call: "malloc" for malloc, _int_malloc and
// je_malloc, "operator new" for all its variants. Empty if the symbol is another function.
std::string_view heap_function(std::string_view symbol) {
  for (const std::string_view each : {"operator new", "operator delete"})
    if (symbol.starts_with(each) && symbol.find_first_of("([", each.size()) == each.size())
      return each;
  std::string_view name = events::public_name(symbol);
  for (const std::string_view each : {"je_", "mi_", "tc_", "int_"})
    if (remove_prefix(name, each)) break;
  name = name.substr(0, name.find_first_of(". ["));  // GCC's suffixes of parts and clones
  if (name == "cfree" || name.starts_with("free_merge") || name.starts_with("free_create"))
    return "free";
  if (name == "sysmalloc" || name == "malloc_consolidate" || name == "unlink_chunk")
    return "malloc";
  static constexpr std::string_view kNames[] = {"malloc",       "free",     "calloc",
                                                "realloc",      "memalign", "aligned_alloc",
                                                "reallocarray", "strdup",   "posix_memalign"};
  const auto* at = std::find(std::begin(kNames), std::end(kNames), name);
  return at == std::end(kNames) ? std::string_view() : *at;
}

bool is_heap_function(const Function& function) {
  return function.kind == CodeKind::kNative && !heap_function(function.name).empty();
}

struct Heap {
  double share = 0;
  std::int64_t samples = 0;
  std::map<std::string, double> functions;  // shares by the function that the program called
  std::map<std::string, double> places;     // shares by the code that called it
};

// Returns the outermost node of the heap's functions around a node.
Node call_of_heap(const CodeProfile& profile, Node node) {
  Node call = CallTree::kNone;
  for (; node != CallTree::kNone; node = profile.tree.parent(node))
    if (is_heap_function(function_of(profile, node))) call = node;
  return call;
}

// Returns the nearest code of the user around a node, or an empty text if there is none. An
// allocator that the program contains is not the user's code.
std::string own_place(const CodeProfile& profile, Node node) {
  while (node != CallTree::kNone &&
         (!is_own_code(function_of(profile, node)) || is_heap_function(function_of(profile, node))))
    node = profile.tree.parent(node);
  if (node == CallTree::kNone) return "";
  return code_text(function_of(profile, node), frame_of(profile, node).line);
}

// True if the sample is in the heap's own code. The kernel's part belongs to memory_mapping.
class InHeap {
 public:
  explicit InHeap(const CodeProfile& profile)
      : profile_(profile), nodes_(nodes_in(profile, is_heap_function)) {}
  bool operator()(const CodeProfile::Sample& sample) const {
    return nodes_[sample.node] && function_of(profile_, sample.node).kind != CodeKind::kKernel;
  }

 private:
  const CodeProfile& profile_;
  std::vector<bool> nodes_;
};

// The shares of samples by node. Texts are made once for each node.
using NodeShares = std::map<Node, double>;

void add_places(const CodeProfile& profile, const NodeShares& nodes, Heap& heap) {
  for (const auto& [node, share] : nodes)
    if (const std::string place = own_place(profile, node); !place.empty())
      heap.places[place] += share;
}

Heap sum_up(const CpuFacts& facts, const InHeap& in_heap) {
  const CodeProfile& profile = *facts.native;
  Heap heap;
  NodeShares nodes;
  NodeShares callers;
  NodeShares python_callers;
  for (const CodeProfile::Sample& sample : profile.samples) {
    if (!in_heap(sample)) continue;
    heap.share += sample.share;
    ++heap.samples;
    nodes[sample.node] += sample.share;
    const CodeProfile::Sample* python = python_sample_near(facts, sample.thread, sample.time);
    if (python != nullptr)
      python_callers[python->node] += sample.share;
    else
      callers[sample.node] += sample.share;
  }
  for (const auto& [node, share] : nodes) {
    const Function& function = function_of(profile, call_of_heap(profile, node));
    heap.functions[std::string(heap_function(function.name))] += share;
  }
  add_places(profile, callers, heap);
  if (facts.python) add_places(*facts.python, python_callers, heap);
  return heap;
}

// Returns "a (40 %), b (12 %)" of the largest parts.
std::string parts_text(const std::map<std::string, double>& parts, double all) {
  constexpr std::size_t kMaximum = 3;
  std::vector<std::pair<double, std::string>> order;
  for (const auto& [name, share] : parts) order.emplace_back(share, name);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (std::size_t i = 0; i < std::min(kMaximum, order.size()); ++i)
    if (i == 0 || order[i].first >= kMinPart * all)
      text += fmt::format("{}{} ({:.0f} %)", i == 0 ? "" : ", ", order[i].second,
                          100 * order[i].first / all);
  return text;
}

}  // namespace

std::optional<Finding> heap_allocation(CpuFacts& facts) {
  if (!facts.native) return std::nullopt;
  const InHeap in_heap(*facts.native);
  const Heap heap = sum_up(facts, in_heap);
  if (heap.samples < kMinHeapSamples || heap.share < kMinHeapShare * facts.time_with_cpu())
    return std::nullopt;
  std::string evidence = fmt::format("{} in {}", count_text(heap.samples, "sample"),
                                     parts_text(heap.functions, heap.share));
  if (!heap.places.empty()) evidence += "; called from " + parts_text(heap.places, heap.share);
  return Finding{"heap_allocation",
                 "Taking memory from the heap and giving it back takes much of the time",
                 std::llround(heap.share),
                 evidence,
                 "Allocate less often: keep buffers and containers and use them again, reserve "
                 "their size, pass references instead of copies, take many small objects from one "
                 "block (std::pmr, an arena); or preload another allocator (jemalloc, mimalloc)",
                 where_of_samples(facts, *facts.native, in_heap)};
}

}  // namespace prof::analyze
