#include "exporters/analysis/operators/result_shapes.hpp"

#include <algorithm>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/operators/range_kinds.hpp"

namespace prof::operators {

ResultShapes::Key ResultShapes::key(std::int64_t global_tid, std::int64_t op_id) {
  return {events::process_of(global_tid), op_id};
}

void ResultShapes::find(const events::RangeTree& tree) {
  if (found_.empty()) return;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const events::RangeTree::Range range = tree.at(i);
    const NamedRange named = classify(tree.name_of(range));
    if (named.text.sources.empty()) continue;
    std::optional<std::vector<Shape>> shapes;  // parsed if they are needed
    const std::vector<TensorSource> sources = parse_sources(named.text.sources);
    for (std::size_t argument = 0; argument < sources.size(); ++argument) {
      const TensorSource& source = sources[argument];
      if (source.op_id == 0) continue;
      const auto wanted = found_.find(key(range.global_tid, source.op_id));
      if (wanted == found_.end()) continue;
      if (!shapes) shapes = parse_shapes(named.text.sizes).value_or(std::vector<Shape>{});
      if (argument >= shapes->size()) continue;
      auto& results = wanted->second;
      const bool is_known = std::ranges::any_of(
          results, [&](const auto& each) { return each.first == source.output; });
      if (!is_known) results.emplace_back(source.output, (*shapes)[argument]);
    }
  }
}

const Shape* ResultShapes::shape(std::int64_t global_tid, std::int64_t op_id,
                                 std::int64_t result) const {
  const auto found = found_.find(key(global_tid, op_id));
  if (found == found_.end()) return nullptr;
  for (const auto& [number, shape] : found->second)
    if (number == result) return &shape;
  return nullptr;
}

}  // namespace prof::operators
