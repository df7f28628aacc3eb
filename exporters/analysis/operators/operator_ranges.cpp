#include "exporters/analysis/operators/operator_ranges.hpp"

#include <algorithm>

#include "exporters/analysis/events/global_ids.hpp"
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
  return OperatorRanges(std::move(*tree));
}

OperatorRanges::Place OperatorRanges::place(std::int64_t global_tid, std::int64_t time) {
  const std::int32_t range = tree_.innermost(global_tid, time);
  if (range == RangeTree::kNone) return {};
  if (const auto known = places_.find(range); known != places_.end()) return known->second;
  const Place found = resolve(range);
  places_.emplace(range, found);
  return found;
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
  for (std::int32_t at = range; at != RangeTree::kNone; at = tree_.at(at).parent) {
    const NamedRange named = this->named(at);
    if (named.kind == RangeKind::kOperator) {
      if (place.innermost == kNone) place.innermost = place.outermost = at;
      if (place.sequence < 0) place.sequence = named.text.sequence;
      if (scope == kNone && !is_in_backward) {
        place.outermost = at;
        has_gradients = has_gradients || named.text.sequence >= 0;
      }
    } else if (named.kind == RangeKind::kBackwardNode) {
      is_in_backward = true;
      if (sequence < 0 && named.text.sequence >= 0) {
        sequence = named.text.sequence;
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
  for (std::int32_t at = tree_.at(range).parent; at != RangeTree::kNone; at = tree_.at(at).parent) {
    const RangeKind kind = named(at).kind;
    if (kind != RangeKind::kOperator && kind != RangeKind::kBackwardNode) return scope_of(at);
  }
  return kNone;
}

std::int32_t OperatorRanges::scope_of(std::int32_t range) {
  if (const auto known = scope_of_range_.find(range); known != scope_of_range_.end())
    return known->second;
  const std::int32_t parent = scope_around(range);
  const NamedRange named = this->named(range);
  const std::string name = named.kind == RangeKind::kOther ? insight::without_numbers(named.name)
                                                           : std::string(named.name);
  const auto [number, is_new] = scope_numbers_.try_emplace(
      std::to_string(parent) + ' ' + name, static_cast<std::int32_t>(scopes_.size()));
  if (is_new) scopes_.push_back({parent, name, named.kind});
  return scope_of_range_[range] = number->second;
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
    const NamedRange named = this->named(range);
    if (named.kind == RangeKind::kOperator && named.text.sequence >= 0)
      by_sequence_[{events::process_of(tree_.at(range).global_tid), named.text.sequence}].push_back(
          range);
  }
  for (auto& [sequence, ranges] : by_sequence_)
    std::ranges::stable_sort(ranges, {}, [&](std::int32_t range) { return tree_.at(range).start; });
}

// An operator that begins has the number that the next node of the backward pass will get. So the
// last operator with the number made the node. Numbers may repeat: the last before the backward
// pass counts.
std::int32_t OperatorRanges::forward_of(std::int32_t node, std::int64_t sequence) {
  if (!has_sequences_) index_sequences();
  const RangeTree::Range backward = tree_.at(node);
  const auto found = by_sequence_.find({events::process_of(backward.global_tid), sequence});
  if (found == by_sequence_.end()) return kNone;
  const auto next = std::ranges::lower_bound(
      found->second, backward.start, {}, [&](std::int32_t range) { return tree_.at(range).start; });
  return next == found->second.begin() ? kNone : *std::prev(next);
}

}  // namespace prof::operators
