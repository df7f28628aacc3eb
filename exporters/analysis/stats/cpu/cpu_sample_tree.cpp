// cpu_sample_tree: call paths, with their share of the samples.
#include <algorithm>
#include <unordered_map>

#include "exporters/analysis/events/call_chains/call_tree.hpp"
#include "exporters/analysis/events/call_chains/sample_call_chains.hpp"
#include "exporters/analysis/events/call_chains/samples.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/strings.hpp"
#include "exporters/analysis/events/thread_names.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/tables/percent.hpp"

namespace prof::stats {

using events::CallTree;
using tables::CellKind;

namespace {

using Node = CallTree::Node;
using Amount = CallTree::Amount;

// The nodes of a tree that reach the threshold. Siblings are sorted by weight, heaviest first.
class Branches {
 public:
  Branches(const CallTree& tree, std::size_t roots, double least_percent)
      : totals_(tree.totals()), wholes_(roots) {
    std::vector<std::uint32_t> root_of(tree.size());
    for (Node node = 0; node < tree.size(); ++node) {
      const Node parent = tree.parent(node);
      root_of[node] = parent == CallTree::kNone ? tree.root(node) : root_of[parent];
      if (parent == CallTree::kNone) wholes_[root_of[node]].add(totals_[node]);
    }
    for (Node node = 0; node < tree.size(); ++node)
      if (tables::percent(totals_[node].weight, wholes_[root_of[node]].weight) >= least_percent)
        children_[tree.parent_key(node)].push_back(node);
    for (auto& [parent, nodes] : children_)
      std::stable_sort(nodes.begin(), nodes.end(),
                       [this](Node a, Node b) { return totals_[a].weight > totals_[b].weight; });
  }

  // Returns the sum of all samples below a root.
  const Amount& whole(std::uint32_t root) const { return wholes_[root]; }
  const Amount& total(Node node) const { return totals_[node]; }

  // Calls `visit(node, depth)` for the nodes below a root. Parents come before their children.
  template <class Visit>
  void walk(std::uint32_t root, Visit visit) const {
    std::vector<std::pair<Node, std::int64_t>> waiting;
    push(CallTree::root_key(root), 0, waiting);
    while (!waiting.empty()) {
      const auto [node, depth] = waiting.back();
      waiting.pop_back();
      visit(node, depth);
      push(node, depth + 1, waiting);
    }
  }

 private:
  void push(std::uint32_t parent_key, std::int64_t depth,
            std::vector<std::pair<Node, std::int64_t>>& waiting) const {
    const auto found = children_.find(parent_key);
    if (found == children_.end()) return;
    for (std::size_t i = found->second.size(); i-- > 0;)
      waiting.emplace_back(found->second[i], depth);
  }

  std::vector<Amount> totals_;
  std::vector<Amount> wholes_;  // by root
  std::unordered_map<std::uint32_t, std::vector<Node>> children_;
};

// Returns the indentation of a depth. It is limited, because a damaged report can have a depth of a
// million.
std::string indentation(std::int64_t depth) {
  constexpr std::int64_t kMaximum = 256;
  return std::string(static_cast<std::size_t>(2 * std::min(depth, kMaximum)), ' ');
}

// Reads the samples into a tree. The tree begins with the outermost or the innermost frames, and
// has one root for all threads or one for each.
base::Result<CallTree> read_tree(const report::ReportReader& reader, const events::Samples& samples,
                                 events::CodeFrames& code, const Arguments& arguments) {
  CallTree tree;
  std::vector<std::uint32_t> path;
  const base::Status read = events::for_each_call_chain(
      reader, events::SampleKind::kCpu, samples, code,
      [&](std::span<const events::Sample> chain, std::span<const std::uint32_t> frames) {
        path.assign(frames.begin(), frames.end());
        if (arguments.by_callers) std::reverse(path.begin(), path.end());
        for (const events::Sample& sample : chain)
          tree.add(tree.of_chain(arguments.by_thread ? sample.thread : 0, path), 1, sample.weight);
      },
      [&] { tree = {}; });
  if (!read) return tl::make_unexpected(read.error());
  return tree;
}

bool shows_lines(const Arguments& arguments) {
  return arguments.shows_lines && arguments.code_lines != nullptr;
}

std::vector<tables::ColumnSpec> columns(const Arguments& arguments) {
  std::vector<tables::ColumnSpec> columns;
  if (arguments.by_thread)
    columns = {
        {"PID", CellKind::kInteger}, {"TID", CellKind::kInteger}, {"Thread", CellKind::kText}};
  columns.insert(columns.end(),
                 {{"Total (%)", CellKind::kReal, 1},
                  {"Self (%)", CellKind::kReal, 1},
                  {"Total Samples", CellKind::kInteger},
                  {"Self Samples", CellKind::kInteger},
                  {"Depth", CellKind::kInteger},
                  {"Function", CellKind::kText},
                  {shows_lines(arguments) ? "Location" : "Module", CellKind::kText}});
  return columns;
}

std::vector<tables::Cell> thread_cells(std::int64_t thread, const events::ThreadNames& names) {
  return {events::pid_of(thread), events::tid_of(thread), names.thread(thread)};
}

}  // namespace

base::Result<tables::Table> cpu_sample_tree(const report::ReportReader& reader,
                                            const Arguments& arguments) {
  const auto samples = events::read_samples(reader, events::SampleKind::kCpu);
  if (!samples) return tl::make_unexpected(samples.error());
  const auto names = events::ThreadNames::read(reader);
  if (!names) return tl::make_unexpected(names.error());
  events::Strings strings(reader);
  events::CodeFrames code(
      strings, shows_lines(arguments) ? events::FrameDetail::kLine : events::FrameDetail::kFunction,
      arguments.code_lines.get());
  const auto tree = read_tree(reader, *samples, code, arguments);
  if (!tree) return tl::make_unexpected(tree.error());
  const std::size_t roots = arguments.by_thread ? samples->threads.size() : 1;
  const Branches branches(*tree, roots, arguments.least_percent);
  std::vector<std::uint32_t> order(roots);
  for (std::uint32_t root = 0; root < roots; ++root) order[root] = root;
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return branches.whole(a).weight > branches.whole(b).weight;
  });
  tables::Table table{columns(arguments), {}};
  for (const std::uint32_t root : order) {
    std::vector<tables::Cell> thread;
    if (arguments.by_thread) thread = thread_cells(samples->threads[root], *names);
    branches.walk(root, [&](Node node, std::int64_t depth) {
      const events::Function& function = code.function_of(tree->frame(node));
      const events::Frame& frame = code.frame(tree->frame(node));
      const std::int64_t whole = branches.whole(root).weight;
      // In the tree of callers the top rows are the innermost functions, so their self time is
      // their total time.
      const CallTree::Amount self = !arguments.by_callers ? tree->self(node)
                                    : depth == 0          ? branches.total(node)
                                                          : CallTree::Amount{};
      auto& row = table.rows.emplace_back(thread);
      row.insert(
          row.end(),
          {tables::percent(branches.total(node).weight, whole), tables::percent(self.weight, whole),
           branches.total(node).samples, self.samples, depth,
           indentation(depth) + function.name + (frame.inline_depth > 0 ? " (inlined)" : ""),
           events::location(function, frame.line)});
    });
  }
  return table;
}

}  // namespace prof::stats
