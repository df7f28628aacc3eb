// cpu_sample_tree: call paths with the share of the samples that were in them.
#include <algorithm>
#include <unordered_map>

#include "exporters/stats/catalog.hpp"
#include "exporters/stats/events/call_tree.hpp"
#include "exporters/stats/events/global_ids.hpp"
#include "exporters/stats/events/samples.hpp"
#include "exporters/stats/events/strings.hpp"
#include "exporters/stats/events/thread_names.hpp"
#include "exporters/stats/tables/percent.hpp"

namespace prof::stats {

namespace {

using Node = CallTree::Node;
using Amount = CallTree::Amount;

// The nodes of a tree that reach the threshold, under each other, the heaviest first.
class Branches {
 public:
  Branches(const CallTree& tree, std::size_t roots, double least_percent)
      : tree_(tree), totals_(tree.totals()), wholes_(roots) {
    std::vector<std::uint32_t> root_of(tree.size());
    for (Node node = 0; node < tree.size(); ++node) {
      const Node parent = tree.parent(node);
      root_of[node] = parent == CallTree::kNone ? tree.root(node) : root_of[parent];
      if (parent == CallTree::kNone) wholes_[root_of[node]].add(totals_[node]);
    }
    for (Node node = 0; node < tree.size(); ++node)
      if (percent(totals_[node].weight, wholes_[root_of[node]].weight) >= least_percent)
        below_[tree.above(node)].push_back(node);
    for (auto& [above, nodes] : below_)
      std::stable_sort(nodes.begin(), nodes.end(),
                       [this](Node a, Node b) { return totals_[a].weight > totals_[b].weight; });
  }

  // Of all samples under a root.
  const Amount& whole(std::uint32_t root) const { return wholes_[root]; }
  const Amount& total(Node node) const { return totals_[node]; }

  // Calls `visit(node, depth)` for the nodes under a root, each before what is under it.
  template <class Visit>
  void walk(std::uint32_t root, Visit visit) const {
    std::vector<std::pair<Node, std::int64_t>> waiting;
    push(CallTree::above_all(root), 0, waiting);
    while (!waiting.empty()) {
      const auto [node, depth] = waiting.back();
      waiting.pop_back();
      visit(node, depth);
      push(node, depth + 1, waiting);
    }
  }

 private:
  void push(std::uint32_t above, std::int64_t depth,
            std::vector<std::pair<Node, std::int64_t>>& waiting) const {
    const auto found = below_.find(above);
    if (found == below_.end()) return;
    for (std::size_t i = found->second.size(); i-- > 0;)
      waiting.emplace_back(found->second[i], depth);
  }

  const CallTree& tree_;
  std::vector<Amount> totals_;
  std::vector<Amount> wholes_;  // by root
  std::unordered_map<std::uint32_t, std::vector<Node>> below_;
};

// From the outermost frame, or from the innermost; of all threads together, or of each.
base::Result<CallTree> read_tree(const report::ReportReader& reader, const Samples& samples,
                                 CodeFrames& code, const Arguments& arguments) {
  CallTree tree;
  std::vector<std::uint32_t> path;
  const base::Status read = for_each_chain(
      reader, SampleKind::kCpu, samples, code,
      [&](std::span<const Sample> chain, std::span<const std::uint32_t> frames) {
        path.assign(frames.begin(), frames.end());
        if (arguments.by_callers) std::reverse(path.begin(), path.end());
        for (const Sample& sample : chain)
          tree.add(tree.of_chain(arguments.by_thread ? sample.thread : 0, path), 1, sample.weight);
      },
      [&] { tree = {}; });
  if (!read) return tl::make_unexpected(read.error());
  return tree;
}

std::vector<ColumnSpec> columns(const Arguments& arguments) {
  std::vector<ColumnSpec> columns;
  if (arguments.by_thread)
    columns = {
        {"PID", CellKind::kInteger}, {"TID", CellKind::kInteger}, {"Thread", CellKind::kText}};
  columns.insert(columns.end(), {{"Total (%)", CellKind::kReal, 1},
                                 {"Self (%)", CellKind::kReal, 1},
                                 {"Total Samples", CellKind::kInteger},
                                 {"Self Samples", CellKind::kInteger},
                                 {"Depth", CellKind::kInteger},
                                 {"Function", CellKind::kText},
                                 {arguments.code_lines ? "Location" : "Module", CellKind::kText}});
  return columns;
}

std::vector<Cell> thread_cells(std::int64_t thread, const ThreadNames& names) {
  return {pid_of(thread), tid_of(thread), names.thread(thread)};
}

}  // namespace

base::Result<Table> cpu_sample_tree(const report::ReportReader& reader,
                                    const Arguments& arguments) {
  const auto samples = read_samples(reader, SampleKind::kCpu);
  if (!samples) return tl::make_unexpected(samples.error());
  const auto names = ThreadNames::read(reader);
  if (!names) return tl::make_unexpected(names.error());
  Strings strings(reader);
  CodeFrames code(strings, arguments.code_lines ? FrameDetail::kLine : FrameDetail::kFunction,
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
  Table table{columns(arguments), {}};
  for (const std::uint32_t root : order) {
    std::vector<Cell> thread;
    if (arguments.by_thread) thread = thread_cells(samples->threads[root], *names);
    branches.walk(root, [&](Node node, std::int64_t depth) {
      const Function& function = code.function_of(tree->frame(node));
      const Frame& frame = code.frame(tree->frame(node));
      const std::int64_t whole = branches.whole(root).weight;
      auto& row = table.rows.emplace_back(thread);
      row.insert(row.end(), {percent(branches.total(node).weight, whole),
                             percent(tree->self(node).weight, whole), branches.total(node).samples,
                             tree->self(node).samples, depth,
                             std::string(static_cast<std::size_t>(2 * depth), ' ') + function.name +
                                 (frame.inline_depth > 0 ? " (inlined)" : ""),
                             location(function, frame.line)});
    });
  }
  return table;
}

}  // namespace prof::stats
