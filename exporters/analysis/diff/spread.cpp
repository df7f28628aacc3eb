#include "exporters/analysis/diff/spread.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "exporters/analysis/insight/profiles/metric_values.hpp"

namespace prof::diff {

namespace {

// A repeat of the same work has a finding in one of this many comparisons of two reports.
constexpr double kFalseFindings = 0.001;
constexpr double kMinPart = 0.03;
// One launch does not show by how much launches differ.
constexpr double kMinPartOfOneLaunch = 0.1;
constexpr double kMinPoints = 1;

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double squares_of(std::span<const double> values, double mean) {
  return std::accumulate(values.begin(), values.end(), 0.0, [mean](double sum, double value) {
    return sum + (value - mean) * (value - mean);
  });
}

bool overlap(std::span<const double> before, std::span<const double> after) {
  const auto [first_low, first_high] = std::ranges::minmax(before);
  const auto [second_low, second_high] = std::ranges::minmax(after);
  return first_low <= second_high && second_low <= first_high;
}

// Returns how probable it is that values of the same work differ by at least this much: Student's
// test for two samples with one variance.
double chance_of(std::span<const double> before, std::span<const double> after) {
  // More degrees of freedom change the result by little, and each takes time.
  constexpr std::size_t kMaxFreedom = 1000;
  const std::size_t freedom = std::min(before.size() + after.size() - 2, kMaxFreedom);
  if (freedom == 0) return 0;
  const double first = mean_of(before);
  const double second = mean_of(after);
  const double variance = (squares_of(before, first) + squares_of(after, second)) /
                          static_cast<double>(before.size() + after.size() - 2);
  const double error = std::sqrt(
      variance * (1 / static_cast<double>(before.size()) + 1 / static_cast<double>(after.size())));
  if (error == 0) return first == second ? 1 : 0;
  return student_tail(std::abs(first - second) / error, freedom);
}

}  // namespace

double median_of(std::span<const double> values) {
  std::vector<double> any_order(values.begin(), values.end());
  return insight::metric_value_of(any_order).median;
}

// The distribution has a finite series for whole numbers of degrees of freedom (Abramowitz and
// Stegun, 26.7.3 and 26.7.4).
double student_tail(double t, std::size_t freedom) {
  const double angle = std::atan(t / std::sqrt(static_cast<double>(freedom)));
  const double cosine = std::cos(angle);
  const bool is_odd = freedom % 2 == 1;
  double term = is_odd ? cosine : 1;
  double sum = freedom == 1 ? 0 : term;
  for (std::size_t i = is_odd ? 3 : 2; i + 2 <= freedom; i += 2) {
    term *= cosine * cosine * static_cast<double>(i - 1) / static_cast<double>(i);
    sum += term;
  }
  const double inside =
      is_odd ? 2 / std::numbers::pi * (angle + std::sin(angle) * sum) : std::sin(angle) * sum;
  return std::clamp(1 - inside, 0.0, 1.0);
}

Difference difference_of(std::span<const double> before, std::span<const double> after,
                         const Comparisons& comparisons) {
  const double first = median_of(before);
  const double second = median_of(after);
  const double change = std::abs(second - first);
  const double largest = std::max(std::abs(first), std::abs(second));
  const bool shows_spread = before.size() > 1 && after.size() > 1;
  if (!(change >= (shows_spread ? kMinPart : kMinPartOfOneLaunch) * largest) || change == 0 ||
      (comparisons.is_percentage && change < kMinPoints))
    return Difference::kNone;
  const double allowed =
      kFalseFindings / static_cast<double>(std::max<std::size_t>(1, comparisons.number));
  const bool is_found = !overlap(before, after) && chance_of(before, after) < allowed;
  return is_found ? Difference::kFound : Difference::kUnclear;
}

}  // namespace prof::diff
