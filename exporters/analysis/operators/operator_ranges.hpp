// Finds the operator, the module and the direction of what a thread does at a moment.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/nvtx/range_tree.hpp"
#include "exporters/analysis/operators/names/parsed_names.hpp"

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
  // Takes few steps for a moment soon after that of the last call.
  Place place(std::int64_t global_tid, std::int64_t time);

  const events::RangeTree& tree() const { return tree_; }
  const ParsedName& parsed(std::int32_t range) const {
    return names_.of(tree_, tree_.name_number_of(range));
  }
  // PyTorch's number of an operator, which joins it with its backward pass; -1: none.
  std::int64_t sequence_of(std::int32_t range) const {
    return sequences_.empty() ? parsed(range).sequence
                              : sequences_[static_cast<std::size_t>(range)].number;
  }
  // Texts of ParsedName are valid as long as this object exists.
  std::string_view text(std::int32_t number) const { return names_.text(number); }
  std::string_view name(std::int32_t range) const { return text(parsed(range).name); }
  std::size_t text_count() const { return names_.text_count(); }
  const std::vector<Scope>& scopes() const { return scopes_; }
  std::string scope_path(std::int32_t scope) const;  // "ResNet > Sequential > Conv2d"

 private:
  explicit OperatorRanges(events::RangeTree tree)
      : tree_(std::move(tree)),
        names_(tree_.name_count()),
        place_of_range_(tree_.size(), kNone),
        scope_of_range_(tree_.size(), kNone) {}
  base::Status read_sequences(const report::ReportReader& reader);
  Place resolve(std::int32_t range);
  std::int32_t scope_of(std::int32_t range);
  std::int32_t scope_around(std::int32_t range);
  std::int32_t forward_of(std::int32_t node, std::int64_t sequence);
  void index_sequences();

  // Ranges of --pytorch=operators have their sequence numbers in payloads.
  struct Sequence {
    std::int64_t number = -1;
    std::int64_t thread = 0;  // PyTorch's number of the thread that counts; 0: unknown
  };
  std::int64_t thread_of(std::int32_t range) const {
    return sequences_.empty() ? 0 : sequences_[static_cast<std::size_t>(range)].thread;
  }

  // An operator with a sequence number.
  struct Numbered {
    std::int64_t process;
    std::int64_t sequence;
    std::int64_t start;
    std::int32_t range;
    auto operator<=>(const Numbered&) const = default;  // NOLINT(modernize-use-nullptr)
  };

  events::RangeTree tree_;
  std::vector<Scope> scopes_;
  std::unordered_map<std::string, std::int32_t> scope_numbers_;  // by parent and name
  mutable ParsedNames names_;
  std::vector<Sequence> sequences_;  // by range; empty: they are in the names
  std::vector<Place> places_;
  std::vector<std::int32_t> place_of_range_;  // index in places_, or kNone
  std::vector<std::int32_t> scope_of_range_;  // kNone: not known yet
  std::vector<Numbered> numbered_;
  events::RangeTree::Near near_range_;
  std::size_t near_numbered_ = 0;
  bool has_sequences_ = false;
};

}  // namespace prof::operators
