#include "exporters/analysis/events/nvtx/graph_captures.hpp"

#include <fmt/format.h>

#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/rows.hpp"

namespace prof::events {

base::Result<GraphCaptures> GraphCaptures::read(const report::ReportReader& reader) {
  auto nodes = GraphNodes::read(reader);
  if (!nodes) return tl::make_unexpected(nodes.error());
  auto tree = RangeTree::read(reader, RangeTree::Nesting::kPushPop, RangeTree::Ranges::kOfGraphs);
  if (!tree) return tl::make_unexpected(tree.error());
  GraphCaptures captures(std::move(*nodes), std::move(*tree));
  if (const base::Status read = captures.read_lines(reader); !read)
    return tl::make_unexpected(read.error());
  return captures;
}

// Reads the innermost frame with a line, or the innermost one, of each chain of a node.
base::Status GraphCaptures::read_lines(const report::ReportReader& reader) {
  if (empty() || !reader.has_column(kGraphNodeTable, "callchainId") ||
      !reader.has_column(kApiCallChainTable, "line"))
    return {};
  return for_each_row(
      reader,
      fmt::format("SELECT c.id, m.value, s.value, c.line IS NULL FROM {} AS c LEFT JOIN StringIds "
                  "AS m ON m.id = c.module LEFT JOIN StringIds AS s ON s.id = c.symbol WHERE c.id "
                  "IN (SELECT callchainId FROM {}) ORDER BY c.id, c.line IS NULL, c.stackDepth",
                  kApiCallChainTable, kGraphNodeTable),
      [&](const report::Statement& row) {
        const std::string_view place(row.text(1));
        const std::string_view function(row.text(2));
        lines_.try_emplace(row.integer(0), row.integer(3) == 0
                                               ? fmt::format("{} ({})", place, function)
                                               : std::string(function));
      });
}

std::string GraphCaptures::path_of(std::int32_t range) const {
  std::string path;
  for (; range != RangeTree::kNone; range = tree_.at(range).parent) {
    if (!path.empty()) path.insert(0, " > ");
    path.insert(0, tree_.name_of(tree_.at(range)));
  }
  return path;
}

std::int32_t GraphCaptures::number_of(const NodeOrigin& origin) {
  const std::int32_t range = tree_.innermost(origin.global_tid, origin.time);
  const auto [place, is_new] = of_place_.try_emplace({range, origin.chain}, kNone);
  if (!is_new) return place->second;
  std::string text = path_of(range);
  const auto line = lines_.find(origin.chain);
  if (line != lines_.end()) text += (text.empty() ? "" : ", ") + line->second;
  if (text.empty()) return kNone;
  const auto [known, is_first] =
      numbers_.try_emplace(text, static_cast<std::int32_t>(texts_.size()));
  if (is_first) texts_.push_back(text);
  return place->second = known->second;
}

std::int32_t GraphCaptures::of(std::int64_t global_pid, std::int64_t node, std::int64_t time) {
  const std::int32_t origin = nodes_.origin(global_pid, node, time);
  if (origin == GraphNodes::kNone) return kNone;
  const auto [known, is_new] = of_origin_.try_emplace(origin, kNone);
  if (is_new) known->second = number_of(nodes_.at(origin));
  return known->second;
}

}  // namespace prof::events
