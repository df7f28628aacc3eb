#include "exporters/analysis/claims/gate.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>

namespace prof::claims {

namespace {

constexpr std::size_t kMinRuns = 3;
constexpr int kDraws = 10'000;

double median_of(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double relative_change(double base, double now) {
  if (base != 0) return now / base - 1;
  return now == 0 ? 0 : std::numeric_limits<double>::infinity();
}

// Draws as many values as there are, each time from all of them. The generator is written out, so
// the result is the same with every library.
class Draws {
 public:
  double median(std::span<const double> values) {
    drawn_.clear();
    for (std::size_t i = 0; i < values.size(); ++i)
      drawn_.push_back(values[generator_() % values.size()]);
    return median_of(drawn_);
  }

 private:
  std::mt19937 generator_;  // with its usual seed
  std::vector<double> drawn_;
};

std::pair<double, double> interval_of(std::span<const double> base, std::span<const double> now) {
  Draws draws;
  std::vector<double> changes;
  for (int i = 0; i < kDraws; ++i)
    changes.push_back(relative_change(draws.median(base), draws.median(now)));
  std::ranges::sort(changes);
  constexpr std::size_t kOutside = kDraws / 40;  // 2.5 % on each side
  return {changes[kOutside], changes[kDraws - 1 - kOutside]};
}

bool compares(Relation relation, double value, double limit) {
  switch (relation) {
    case Relation::kLess:
      return value < limit;
    case Relation::kAtMost:
      return value <= limit;
    case Relation::kGreater:
      return value > limit;
    case Relation::kAtLeast:
      return value >= limit;
    case Relation::kEqual:
      return value == limit;
    case Relation::kDifferent:
      return value != limit;
    case Relation::kBetween:
      break;
  }
  return false;
}

// True if the spread of the runs can have made this change.
bool can_be_noise(const Change& change) {
  return change.interval && change.interval->first <= 0 && change.interval->second >= 0;
}

}  // namespace

double Change::resolution() const {
  return interval ? (interval->second - interval->first) / 2 : 0;
}

Change change_of(std::span<const double> base, std::span<const double> now) {
  std::vector<double> first(base.begin(), base.end());
  std::vector<double> second(now.begin(), now.end());
  Change change{median_of(first), median_of(second)};
  change.relative = relative_change(change.base, change.now);
  if (base.size() >= kMinRuns && now.size() >= kMinRuns) change.interval = interval_of(base, now);
  return change;
}

bool fails(const Gate& gate, const Change& change) {
  return std::ranges::all_of(gate.conditions, [&](const Condition& each) {
    switch (each.limit) {
      case Condition::Limit::kChange:
        return !can_be_noise(change) && compares(each.relation, change.relative, each.number);
      case Condition::Limit::kBase:
        return !can_be_noise(change) && compares(each.relation, change.now, change.base);
      case Condition::Limit::kNumber:
        return compares(each.relation, change.now, each.number);
    }
    return false;
  });
}

}  // namespace prof::claims
