#include "exporters/analysis/operators/operator_ranges.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "common/report/table_scan.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/grouped_events.hpp"
#include "exporters/analysis/events/nvtx/nvtx_ranges.hpp"
#include "exporters/analysis/insight/names.hpp"

namespace prof::operators {

using events::RangeTree;

const char* name_of(Direction direction) {
  switch (direction) {
    case Direction::kForward:
      break;
    case Direction::kBackward:
      return "backward";
    case Direction::kRecompute:
      return "recompute";
    case Direction::kStep:
      return "step";
  }
  return "forward";
}

base::Result<OperatorRanges> OperatorRanges::read(const report::ReportReader& reader,
                                                  RangeTree::Ranges which) {
  auto tree = RangeTree::read(reader, RangeTree::Nesting::kPushPop, which);
  if (!tree) return tl::make_unexpected(tree.error());
  OperatorRanges ranges(std::move(*tree));
  ranges.names_.parse_all(ranges.tree_);
  if (auto read = ranges.read_sequences(reader); !read) return tl::make_unexpected(read.error());
  return ranges;
}

// A payload is the number + 1 in its low bits, and the thread above them.
base::Status OperatorRanges::read_sequences(const report::ReportReader& reader) {
  constexpr unsigned kNumberBits = 40;
  bool is_observed = false;
  for (std::size_t i = 0; i < tree_.name_count() && !is_observed; ++i)
    is_observed = tree_.name_at(static_cast<std::int32_t>(i)).starts_with(kObservedDomain);
  if (!is_observed || !reader.has_column(events::kNvtxTable, "uint64Value")) return {};
  std::vector<std::pair<std::int64_t, std::int64_t>> payloads;  // id and payload
  const base::Status read = report::scan(reader, {events::kNvtxTable, {"rowid", "uint64Value"}},
                                         [&](const report::Row& row) {
                                           const std::int64_t payload = row.integer_or(1, 0);
                                           if (payload > 0)
                                             payloads.emplace_back(row.integer(0), payload);
                                         });
  std::ranges::sort(payloads);
  sequences_.resize(tree_.size());
  for (std::size_t i = 0; i < tree_.size(); ++i) {
    const RangeTree::Range range = tree_.at(i);
    if (!tree_.name_of(range).starts_with(kObservedDomain)) {
      sequences_[i].number = parsed(static_cast<std::int32_t>(i)).sequence;
      continue;
    }
    const auto found = std::ranges::lower_bound(payloads, std::pair(range.id, std::int64_t{0}));
    if (found == payloads.end() || found->first != range.id) continue;
    sequences_[i] = {(found->second & ((std::int64_t{1} << kNumberBits) - 1)) - 1,
                     found->second >> kNumberBits};
  }
  return read;
}

OperatorRanges::Place OperatorRanges::place(std::int64_t global_tid, std::int64_t time) {
  const std::int32_t range = tree_.innermost(global_tid, time, near_range_);
  if (range == RangeTree::kNone) return {};
  std::int32_t& known = place_of_range_[static_cast<std::size_t>(range)];
  if (known == kNone) {
    places_.push_back(resolve(range));
    known = static_cast<std::int32_t>(places_.size() - 1);
  }
  return places_[static_cast<std::size_t>(known)];
}

// Walks from the innermost range outwards.
OperatorRanges::Place OperatorRanges::resolve(std::int32_t range) {
  Place place;
  bool is_in_backward = false;
  bool has_gradients = false;  // true for operators that are recomputed in a backward pass
  bool is_step = false;
  std::int32_t scope = kNone;
  std::int32_t node = kNone;
  std::int64_t sequence = -1;
  for (std::int32_t at = range; at != RangeTree::kNone; at = tree_.parent_of(at)) {
    const ParsedName& named = parsed(at);
    if (named.kind == RangeKind::kOperator) {
      if (place.innermost == kNone) place.innermost = place.outermost = at;
      if (place.sequence < 0) place.sequence = sequence_of(at);
      if (scope == kNone && !is_in_backward) {
        place.outermost = at;
        has_gradients = has_gradients || sequence_of(at) >= 0;
      }
    } else if (named.kind == RangeKind::kBackwardNode) {
      is_in_backward = true;
      if (sequence < 0 && sequence_of(at) >= 0) {
        sequence = sequence_of(at);
        node = at;
      }
    } else {
      is_step = is_step || named.kind == RangeKind::kStep;
      if (scope == kNone && !is_in_backward) scope = at;
    }
  }
  if (scope != kNone) place.scope = scope_of(scope);
  if (is_step) place.direction = Direction::kStep;
  if (!is_in_backward) return place;
  if (scope != kNone || has_gradients) {
    place.direction = Direction::kRecompute;
    return place;
  }
  place.direction = Direction::kBackward;
  place.sequence = sequence;
  if (node != kNone) place.forward = forward_of(node, sequence);
  if (place.forward != kNone) place.scope = scope_around(place.forward);
  return place;
}

std::int32_t OperatorRanges::scope_around(std::int32_t range) {
  for (std::int32_t at = tree_.parent_of(range); at != RangeTree::kNone; at = tree_.parent_of(at)) {
    const RangeKind kind = parsed(at).kind;
    if (kind != RangeKind::kOperator && kind != RangeKind::kBackwardNode) return scope_of(at);
  }
  return kNone;
}

std::int32_t OperatorRanges::scope_of(std::int32_t range) {
  if (const std::int32_t known = scope_of_range_[static_cast<std::size_t>(range)]; known != kNone)
    return known;
  const std::int32_t parent = scope_around(range);
  const RangeKind kind = parsed(range).kind;
  const std::string name = kind == RangeKind::kOther ? insight::without_numbers(this->name(range))
                                                     : std::string(this->name(range));
  const auto [number, is_new] = scope_numbers_.try_emplace(
      std::to_string(parent) + ' ' + name, static_cast<std::int32_t>(scopes_.size()));
  if (is_new) scopes_.push_back({parent, name, kind});
  return scope_of_range_[static_cast<std::size_t>(range)] = number->second;
}

std::string OperatorRanges::scope_path(std::int32_t scope) const {
  std::string path;
  for (; scope != kNone; scope = scopes_[static_cast<std::size_t>(scope)].parent) {
    if (!path.empty()) path.insert(0, " > ");
    path.insert(0, scopes_[static_cast<std::size_t>(scope)].name);
  }
  return path;
}

void OperatorRanges::index_sequences() {
  has_sequences_ = true;
  for (std::size_t i = 0; i < tree_.size(); ++i) {
    const auto range = static_cast<std::int32_t>(i);
    const std::int64_t sequence = sequence_of(range);
    if (sequence < 0 || parsed(range).kind != RangeKind::kOperator) continue;
    const RangeTree::Range at = tree_.at(range);
    numbered_.push_back({events::process_of(at.global_tid), sequence, at.start, range});
  }
  if (!std::ranges::is_sorted(numbered_)) std::ranges::sort(numbered_);
}

// An operator that begins has the number that the next node of the backward pass will get. So the
// last operator with the number made the node. Numbers may repeat: the last before the backward
// pass counts.
std::int32_t OperatorRanges::forward_of(std::int32_t node, std::int64_t sequence) {
  if (!has_sequences_) index_sequences();
  const RangeTree::Range backward = tree_.at(node);
  const std::int64_t process = events::process_of(backward.global_tid);
  const auto wanted = std::tuple(process, sequence, backward.start);
  near_numbered_ =
      events::partition_index_near(near_numbered_, 0, numbered_.size(), [&](auto index) {
        const Numbered& each = numbered_[index];
        return std::tuple(each.process, each.sequence, each.start) < wanted;
      });
  // Each thread counts. The node says which thread it was, if prof observed it.
  constexpr std::size_t kMaxSearched = 4096;  // a damaged report may have all operators here
  const std::int64_t thread = thread_of(node);
  for (std::size_t i = near_numbered_; i-- > 0 && near_numbered_ - i <= kMaxSearched;) {
    const Numbered& last = numbered_[i];
    if (last.process != process || last.sequence != sequence) break;
    if (thread == 0 || thread_of(last.range) == thread) return last.range;
  }
  return kNone;
}

}  // namespace prof::operators
