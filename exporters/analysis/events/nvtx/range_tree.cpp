#include "exporters/analysis/events/nvtx/range_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "exporters/analysis/events/grouped_sort.hpp"
#include "exporters/analysis/events/nvtx/nvtx_ranges.hpp"
#include "exporters/analysis/events/rows.hpp"

namespace prof::events {

namespace {

// The maximum number of ranges of a thread that never end. Such a range contains all later ranges,
// so the time and the memory that it takes to print the ranges around each range grow with the
// square of their number.
constexpr std::int64_t kMaxOpen = 256;

}  // namespace

base::Result<RangeTree> RangeTree::read(const report::ReportReader& reader, Nesting nesting) {
  RangeTree tree(reader);
  if (!reader.has_table(kNvtxTable)) return tree;
  tree.ranges_.reserve(max_rows(reader, kNvtxTable));
  const base::Status read = for_each_range(reader, tree.names_, [&](const NvtxRange& range) {
    if (range.one_thread)
      tree.ranges_.push_back({range.id, range.start, range.end, range.global_tid, range.name,
                              RangeTree::kNone, 0, static_cast<std::uint8_t>(range.type)});
  });
  if (!read) return tl::make_unexpected(read.error());
  if (tree.limit_open())
    reader.remark(
        fmt::format("a thread has more than {0} NVTX ranges that never end. Statistics of nested "
                    "ranges leave out all but the first {0}.",
                    kMaxOpen));
  tree.nest(nesting);
  return tree;
}

// Removes the ranges of a thread that never ended after the first kMaxOpen. Such ranges end at the
// latest time of all. Returns true if any were removed.
bool RangeTree::limit_open() {
  std::int64_t latest = INT64_MIN;
  for (const Range& range : ranges_) latest = std::max(latest, range.end);
  std::map<std::int64_t, std::int64_t> open;  // by thread
  return std::erase_if(ranges_, [&](const Range& range) {
           return range.end == latest && ++open[range.global_tid] > kMaxOpen;
         }) > 0;
}

void RangeTree::nest(Nesting nesting) {
  sort_grouped(
      ranges_, [](const Range& range) { return range.global_tid; },
      [](const Range& a, const Range& b) {
        return std::tie(a.start, b.end) < std::tie(b.start, a.end);
      });
  std::vector<std::int32_t> open;
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    Range& range = ranges_[i];
    const bool is_push_pop = range.type == kPushPopRange;
    if (is_push_pop) push_pops_.push_back(static_cast<std::int32_t>(i));
    if (nesting == Nesting::kPushPop && !is_push_pop) continue;
    while (!open.empty() &&
           (at(open.back()).global_tid != range.global_tid || at(open.back()).end < range.start))
      open.pop_back();
    // Ranges of different domains, and start/end ranges, may overlap. An open range that ends
    // before this one does not contain it, but may contain the next.
    const auto searched = static_cast<std::ptrdiff_t>(std::min(open.size(), kMaxLevels));
    const auto last = open.rbegin() + searched;
    const auto around = std::find_if(open.rbegin(), last,
                                     [&](std::int32_t each) { return at(each).end >= range.end; });
    if (around != last) {
      range.parent = *around;
      range.level = static_cast<std::int16_t>(at(*around).level + 1);
    }
    if (static_cast<std::size_t>(range.level) < kMaxLevels)
      open.push_back(static_cast<std::int32_t>(i));
  }
}

std::int32_t RangeTree::innermost(std::int64_t global_tid, std::int64_t time) const {
  const auto next = std::ranges::partition_point(push_pops_, [&](std::int32_t range) {
    return std::tie(at(range).global_tid, at(range).start) <= std::tie(global_tid, time);
  });
  if (next == push_pops_.begin() || at(*std::prev(next)).global_tid != global_tid) return kNone;
  // Every range that is open at that time is the last range that began before it, or contains that
  // range.
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
