#include "exporters/analysis/operators/result_shapes.hpp"

#include <algorithm>
#include <optional>

#include "exporters/analysis/events/global_ids.hpp"

namespace prof::operators {

ResultShapes::Key ResultShapes::key(std::int64_t global_tid, std::int64_t op_id) {
  return {events::process_of(global_tid), op_id};
}

void ResultShapes::find(const OperatorRanges& ranges) {
  if (found_.empty()) return;
  const events::RangeTree& tree = ranges.tree();
  for (std::int32_t range = 0; range < static_cast<std::int32_t>(tree.size()); ++range) {
    const std::uint32_t sources = ranges.parsed(range).sources;
    if (sources == 0) continue;
    const std::string_view name = tree.name_at(tree.name_number_of(range));
    add_uses(ranges, range, name.substr(sources));
  }
}

// Takes the shapes of the arguments that are wanted results.
void ResultShapes::add_uses(const OperatorRanges& ranges, std::int32_t range,
                            std::string_view sources) {
  const std::int64_t global_tid = ranges.tree().at(range).global_tid;
  std::optional<std::vector<Shape>> shapes;  // parsed if they are needed
  std::size_t argument = 0;
  for (const TensorSource& source : parse_sources(sources)) {
    const std::size_t number = argument++;
    if (source.op_id == 0) continue;
    const auto wanted = found_.find(key(global_tid, source.op_id));
    if (wanted == found_.end()) continue;
    if (!shapes)
      shapes = parse_shapes(ranges.text(ranges.parsed(range).sizes)).value_or(std::vector<Shape>{});
    if (number >= shapes->size()) continue;
    auto& results = wanted->second;
    const bool is_known =
        std::ranges::any_of(results, [&](const auto& each) { return each.first == source.output; });
    if (!is_known) results.emplace_back(source.output, (*shapes)[number]);
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
