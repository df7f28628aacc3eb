#include "exporters/analysis/events/nvtx/range_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "exporters/analysis/events/nvtx/nvtx_ranges.hpp"

namespace prof::events {

namespace {

// The maximum number of ranges of a thread that never end. Such a range contains all later ranges,
// so the time and the memory that it takes to print the ranges around each range grow with the
// square of their number.
constexpr std::int64_t kMaxOpen = 256;

}  // namespace

base::Result<RangeTree> RangeTree::read(const report::ReportReader& reader, Nesting nesting,
                                        Ranges ranges) {
  RangeTree tree(reader);
  const auto add = [&](const NvtxRange& range) {
    if (range.one_thread)
      tree.ranges_.add(range.global_tid, {range.start, range.end},
                       {range.id, range.name, range.type});
  };
  base::Status read;
  if (reader.has_table(kNvtxTable)) read = for_each_range(reader, tree.names_, add);
  if (read && ranges == Ranges::kOfGraphs) read = for_each_graph_range(reader, tree.names_, add);
  if (!read) return tl::make_unexpected(read.error());
  tree.ranges_.sort();
  if (tree.limit_open())
    reader.remark(
        fmt::format("a thread has more than {0} NVTX ranges that never end. Statistics of nested "
                    "ranges leave out all but the first {0}.",
                    kMaxOpen));
  tree.nest(nesting);
  return tree;
}

RangeTree::Range RangeTree::at(std::size_t index) const {
  return {ranges_.value(index, kId),
          ranges_.start(index),
          ranges_.end(index),
          ranges_.groups()[ranges_.group(index)].key,
          static_cast<std::int32_t>(ranges_.value(index, kName)),
          static_cast<std::int32_t>(parents_[index]),
          static_cast<std::int16_t>(levels_[index]),
          static_cast<std::uint8_t>(ranges_.value(index, kType))};
}

// Removes the ranges of a thread that never ended after the first kMaxOpen. Such ranges end at the
// latest time of all. Returns true if any were removed.
bool RangeTree::limit_open() {
  std::int64_t latest = INT64_MIN;
  for (std::size_t i = 0; i < size(); ++i) latest = std::max(latest, ranges_.end(i));
  std::vector<std::int64_t> open(ranges_.groups().size());  // by thread
  for (std::size_t i = 0; i < size(); ++i)
    if (ranges_.end(i) == latest) ++open[ranges_.group(i)];
  if (std::ranges::all_of(open, [](std::int64_t count) { return count <= kMaxOpen; })) return false;
  GroupedEvents kept = no_ranges();
  open.assign(open.size(), 0);
  for (std::size_t i = 0; i < size(); ++i) {
    const std::size_t thread = ranges_.group(i);
    if (ranges_.end(i) == latest && ++open[thread] > kMaxOpen) continue;
    kept.add(ranges_.groups()[thread].key, {ranges_.start(i), ranges_.end(i)},
             {ranges_.value(i, kId), ranges_.value(i, kName), ranges_.value(i, kType)});
  }
  kept.sort();
  ranges_ = std::move(kept);
  return true;
}

namespace {

// A range that may contain the next ones.
struct OpenRange {
  std::int32_t index;
  std::int64_t end;
  std::int16_t level;
};

// Returns the innermost of the open ranges that contains a range with this end, or null. Ranges of
// different domains, and start/end ranges, may overlap. An open range that ends before this one
// does not contain it, but may contain the next.
const OpenRange* around(const std::vector<OpenRange>& open, std::int64_t end) {
  const auto searched = static_cast<std::ptrdiff_t>(std::min(open.size(), RangeTree::kMaxLevels));
  const auto last = open.rbegin() + searched;
  const auto found =
      std::find_if(open.rbegin(), last, [&](const OpenRange& each) { return each.end >= end; });
  return found == last ? nullptr : &*found;
}

}  // namespace

void RangeTree::nest(Nesting nesting) {
  std::vector<OpenRange> open;
  for (const GroupedEvents::Group& thread : ranges_.groups()) {
    open.clear();
    first_push_pops_.push_back(push_pops_.size());
    for (std::size_t i = thread.first; i < thread.end; ++i) {
      const bool is_push_pop = ranges_.value(i, kType) == kPushPopRange;
      if (is_push_pop) push_pops_.push_back(static_cast<std::int64_t>(i));
      OpenRange range{static_cast<std::int32_t>(i), ranges_.end(i), 0};
      const bool is_nested = nesting == Nesting::kAll || is_push_pop;
      while (is_nested && !open.empty() && open.back().end < ranges_.start(i)) open.pop_back();
      const OpenRange* parent = is_nested ? around(open, range.end) : nullptr;
      if (parent != nullptr) range.level = static_cast<std::int16_t>(parent->level + 1);
      parents_.push_back(parent == nullptr ? kNone : parent->index);
      levels_.push_back(range.level);
      if (is_nested && static_cast<std::size_t>(range.level) < kMaxLevels) open.push_back(range);
    }
  }
}

std::int32_t RangeTree::innermost(std::int64_t global_tid, std::int64_t time, Near& near) const {
  const std::span<const GroupedEvents::Group> threads = ranges_.groups();
  if (near.thread >= threads.size() || threads[near.thread].key != global_tid) {
    const auto found =
        std::ranges::lower_bound(threads, global_tid, {}, &GroupedEvents::Group::key);
    if (found == threads.end() || found->key != global_tid) return kNone;
    near.thread = static_cast<std::size_t>(found - threads.begin());
  }
  const auto range_at = [&](std::size_t place) {
    return static_cast<std::size_t>(push_pops_[place]);
  };
  near.places.resize(threads.size());
  const std::size_t first = first_push_pops_[near.thread];
  const bool is_last = near.thread + 1 == threads.size();
  std::size_t& place = near.places[near.thread];
  place = partition_index_near(
      place, first, is_last ? push_pops_.size() : first_push_pops_[near.thread + 1],
      [&](std::size_t each) { return ranges_.start(range_at(each)) <= time; });
  if (place == first) return kNone;
  std::size_t index = range_at(place - 1);
  // Every range that is open at that time is the last range that began before it, or contains that
  // range.
  while (ranges_.end(index) <= time) {
    if (parents_[index] == kNone) return kNone;
    index = static_cast<std::size_t>(parents_[index]);
  }
  return static_cast<std::int32_t>(index);
}

std::string RangeTree::id_path(const Range& range) const {
  std::string path = ':' + std::to_string(range.id);
  for (std::int32_t index = range.parent; index != kNone; index = at(index).parent)
    path.insert(0, ':' + std::to_string(at(index).id));
  return path;
}

std::optional<std::int64_t> RangeTree::parent_id(const Range& range) const {
  return range.parent == kNone ? std::nullopt : std::optional(at(range.parent).id);
}

}  // namespace prof::events
