// Conditions on what changed between runs of a program, for continuous integration:
// "kernel('*gemm*').total > +5% and > 1ms".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "exporters/analysis/claims/claim.hpp"

namespace prof::claims {

struct Condition {
  enum class Limit {
    kChange,  // of the number, relative to the base: +5%
    kBase,    // the number of the base
    kNumber,
  };
  Relation relation = Relation::kGreater;
  Limit limit = Limit::kNumber;
  double number = 0;  // a part for kChange: 0.05
};

// A gate fails if all its conditions hold.
struct Gate {
  std::string text;
  Quantity quantity;
  std::vector<Condition> conditions;
};

base::Result<Gate> parse_gate(std::string_view text);

// The numbers of repeated runs, and how far they can be trusted.
struct Change {
  double base = 0;  // median
  double now = 0;   // median
  double relative = 0;
  // The 95 % interval of the relative change, by a bootstrap. Empty: fewer than three runs a side.
  std::optional<std::pair<double, double>> interval = {};

  // The smallest change that these runs could show.
  double resolution() const;
};
Change change_of(std::span<const double> base, std::span<const double> now);

// True if all conditions hold. A change that is too small for the spread of the runs is not one:
// its interval must not contain 0.
bool fails(const Gate& gate, const Change& change);

}  // namespace prof::claims
