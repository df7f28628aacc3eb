// Finds the operator, the module and the direction of what a thread does at a moment.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/nvtx/range_tree.hpp"
#include "exporters/analysis/operators/range_kinds.hpp"

namespace prof::operators {

enum class Direction : std::uint8_t {
  kForward,
  kBackward,
  kRecompute,  // a forward operator that runs again during the backward pass
  kStep,       // of an optimizer
};
const char* name_of(Direction direction);

// A module, or another range around operators. Ranges whose names differ only in numbers are one
// scope if their outer scopes are one.
struct Scope {
  std::int32_t parent;  // -1: none
  std::string name;
  RangeKind kind;
};

class OperatorRanges {
 public:
  static constexpr std::int32_t kNone = -1;

  static base::Result<OperatorRanges> read(const report::ReportReader& reader,
                                           events::RangeTree::Ranges which);

  // The numbers are indices of ranges in the tree, except `scope`.
  struct Place {
    std::int32_t innermost = kNone;  // the innermost operator
    std::int32_t outermost = kNone;  // the outermost operator around it within its scope
    std::int32_t scope = kNone;    // index in scopes(); of a backward pass that of the forward pass
    std::int32_t forward = kNone;  // of a backward pass: the operator whose gradient is computed
    Direction direction = Direction::kForward;
    std::int64_t sequence = -1;  // PyTorch's number of the operator; -1: none
  };
  Place place(std::int64_t global_tid, std::int64_t time);

  const events::RangeTree& tree() const { return tree_; }
  NamedRange named(std::int32_t range) const { return classify(tree_.name_of(tree_.at(range))); }
  const std::vector<Scope>& scopes() const { return scopes_; }
  std::string scope_path(std::int32_t scope) const;  // "ResNet > Sequential > Conv2d"

 private:
  explicit OperatorRanges(events::RangeTree tree) : tree_(std::move(tree)) {}
  Place resolve(std::int32_t range);
  std::int32_t scope_of(std::int32_t range);
  std::int32_t scope_around(std::int32_t range);
  std::int32_t forward_of(std::int32_t node, std::int64_t sequence);
  void index_sequences();

  // A sequence number in a process.
  using Sequence = std::pair<std::int64_t, std::int64_t>;
  struct HashSequence {
    std::size_t operator()(const Sequence& key) const {
      return (static_cast<std::size_t>(key.first) << 40) ^ static_cast<std::size_t>(key.second);
    }
  };

  events::RangeTree tree_;
  std::vector<Scope> scopes_;
  std::unordered_map<std::string, std::int32_t> scope_numbers_;  // by parent and name
  std::unordered_map<std::int32_t, Place> places_;               // by innermost range
  std::unordered_map<std::int32_t, std::int32_t> scope_of_range_;
  std::unordered_map<Sequence, std::vector<std::int32_t>, HashSequence> by_sequence_;
  bool has_sequences_ = false;
};

}  // namespace prof::operators
