#include "exporters/events/range_tree.hpp"

#include <algorithm>
#include <tuple>

#include "exporters/events/nvtx_ranges.hpp"

namespace prof::events {

base::Result<RangeTree> RangeTree::read(const report::ReportReader& reader) {
  RangeTree tree(reader);
  if (!reader.has_table(kNvtxTable)) return tree;
  const base::Status read = for_each_range(reader, tree.names_, [&](const NvtxRange& range) {
    if (!range.one_thread) return;
    tree.ranges_.push_back(
        {range.id, range.type, range.start, range.end, range.global_tid, range.name});
  });
  if (!read) return tl::make_unexpected(read.error());
  tree.nest();
  return tree;
}

void RangeTree::nest() {
  std::stable_sort(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) {
    return std::tie(a.global_tid, a.start, b.end) < std::tie(b.global_tid, b.start, a.end);
  });
  std::vector<std::int32_t> open;
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    Range& range = ranges_[i];
    if (range.type != kPushPopRange) continue;
    push_pops_.push_back(static_cast<std::int32_t>(i));
    // Ranges of different domains may overlap. A range that ends earlier is not around this one.
    while (!open.empty() &&
           (at(open.back()).global_tid != range.global_tid || at(open.back()).end < range.end))
      open.pop_back();
    if (!open.empty()) range.parent = open.back();
    range.level = static_cast<std::int32_t>(open.size());
    if (open.size() < kMostLevels) open.push_back(static_cast<std::int32_t>(i));
  }
}

std::int32_t RangeTree::innermost(std::int64_t global_tid, std::int64_t time) const {
  const auto next = std::ranges::partition_point(push_pops_, [&](std::int32_t range) {
    return std::tie(at(range).global_tid, at(range).start) <= std::tie(global_tid, time);
  });
  if (next == push_pops_.begin() || at(*std::prev(next)).global_tid != global_tid) return kNone;
  // Every range that is open at that time is the last one that began, or around it.
  std::int32_t index = *std::prev(next);
  while (index != kNone && at(index).end <= time) index = at(index).parent;
  return index;
}

std::string RangeTree::id_path(const Range& range) const {
  std::string path;
  for (const Range* each = &range;; each = &at(each->parent)) {
    path.insert(0, ':' + std::to_string(each->id));
    if (each->parent == kNone) return path;
  }
}

std::optional<std::int64_t> RangeTree::parent_id(const Range& range) const {
  return range.parent == kNone ? std::nullopt : std::optional(at(range.parent).id);
}

}  // namespace prof::events
