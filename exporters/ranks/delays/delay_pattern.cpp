#include "exporters/ranks/delays/delay_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "common/base/median.hpp"

namespace prof::ranks {

namespace {

// Returns the distance that three quarters of the neighbours in `steps` have, or 0.
std::size_t period_of(const std::vector<std::size_t>& steps) {
  std::map<std::size_t, std::size_t> gaps;
  for (std::size_t i = 1; i < steps.size(); ++i) ++gaps[steps[i] - steps[i - 1]];
  for (const auto& [gap, count] : gaps)
    if (gap > 1 && 4 * count >= 3 * (steps.size() - 1)) return gap;
  return 0;
}

const char* ordinal_of(std::size_t number) {
  if (number % 100 >= 11 && number % 100 <= 13) return "th";
  constexpr const char* kEndings[] = {"th", "st", "nd", "rd"};
  return number % 10 < 4 ? kEndings[number % 10] : "th";
}

}  // namespace

DelayPattern pattern_of(const std::vector<double>& delays) {
  constexpr double kDeviation = 1.4826;  // of a normal distribution, for each median deviation
  constexpr std::size_t kLeast = 3;      // slow steps
  DelayPattern pattern;
  pattern.steps = delays.size();
  if (delays.empty()) return pattern;
  std::vector<double> any_order = delays;
  const double usual = base::upper_median(any_order);
  std::vector<double> deviations;
  for (const double each : delays) deviations.push_back(std::abs(each - usual));
  const double largest = *std::ranges::max_element(delays);
  const double limit =
      usual + std::max(4 * kDeviation * base::upper_median(deviations), 0.3 * (largest - usual));
  double of_slow = 0;
  double all = 0;
  for (std::size_t i = 0; i < delays.size(); ++i) {
    all += std::max(0.0, delays[i]);
    if (delays[i] <= limit || delays[i] <= 0) continue;
    of_slow += delays[i];
    pattern.slow.push_back(i);
  }
  const bool is_some = 2 * of_slow >= all && 2 * pattern.slow.size() <= delays.size();
  if (is_some && pattern.slow.size() >= kLeast) {
    pattern.period = period_of(pattern.slow);
    if (pattern.period > 0) pattern.kind = DelayPattern::Kind::kPeriodic;
    return pattern;
  }
  if (is_some) return pattern;
  pattern.slow.clear();
  for (std::size_t i = 0; i < delays.size(); ++i)
    if (delays[i] > 0) pattern.slow.push_back(i);
  if (10 * pattern.slow.size() >= 7 * delays.size()) pattern.kind = DelayPattern::Kind::kPersistent;
  return pattern;
}

std::string text_of(const DelayPattern& pattern) {
  if (pattern.kind == DelayPattern::Kind::kPeriodic)
    return fmt::format("in every {}{} step", pattern.period, ordinal_of(pattern.period));
  if (pattern.slow.size() == pattern.steps) return "in every step";
  return fmt::format("in {} of {} steps", pattern.slow.size(), pattern.steps);
}

}  // namespace prof::ranks
