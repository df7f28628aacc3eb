#include "collector/session/flight/trigger.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <cmath>
#include <string_view>
#include <utility>

#include "common/base/text/amounts.hpp"

namespace prof::session {

using base::fail;

namespace {

constexpr const char* kKinds = "range, rate, cuda, osrt, gpu-idle or metric";

// Removes the number at the beginning of the text. Returns false if there is no number.
bool take_number(std::string_view& text, double& number) {
  const auto taken = base::take_number(text);
  number = taken.value_or(0);
  return taken && number >= 0;
}

tl::unexpected<base::Error> wrong(const FlightTrigger& trigger, std::string_view condition,
                                  const char* expected) {
  return fail(fmt::format("--trigger {}: \"{}\" is not {}", trigger.words, condition, expected));
}

// Parses ">500ms", and for ranges ">4p99".
base::Result<FlightTrigger> with_duration(FlightTrigger trigger, std::string_view condition) {
  const bool is_range = trigger.kind == FlightTrigger::Kind::kRange;
  const char* expected =
      is_range ? "a condition such as >500ms or >4p99" : "a condition such as >500ms";
  if (!condition.starts_with('>')) return wrong(trigger, condition, expected);
  std::string_view rest = condition.substr(1);
  if (parse_duration(rest, trigger.ns) && trigger.ns > 0) return trigger;
  trigger.ns = 0;
  double percent = 0;
  if (!is_range || !take_number(rest, trigger.factor) || !rest.starts_with('p'))
    return wrong(trigger, condition, expected);
  rest.remove_prefix(1);
  if (!take_number(rest, percent) || !rest.empty() || percent <= 0 || percent >= 100 ||
      trigger.factor <= 0)
    return wrong(trigger, condition, expected);
  trigger.quantile = percent / 100;
  return trigger;
}

// Parses "<10/s" or "<50%".
base::Result<FlightTrigger> with_rate(FlightTrigger trigger, std::string_view condition) {
  constexpr const char* kExpected = "a condition such as <10/s or <50%";
  double number = 0;
  std::string_view rest = condition;
  if (!rest.starts_with('<')) return wrong(trigger, condition, kExpected);
  rest.remove_prefix(1);
  if (!take_number(rest, number) || number <= 0) return wrong(trigger, condition, kExpected);
  if (rest == "/s")
    trigger.limit = number;
  else if (rest == "%" && number < 100)
    trigger.factor = number / 100;
  else
    return wrong(trigger, condition, kExpected);
  return trigger;
}

base::Result<FlightTrigger> with_value(FlightTrigger trigger, std::string_view condition) {
  constexpr const char* kExpected = "a condition such as >90 or <5";
  std::string_view rest = condition;
  if (!rest.starts_with('>') && !rest.starts_with('<')) return wrong(trigger, condition, kExpected);
  trigger.is_below = rest.front() == '<';
  rest.remove_prefix(1);
  if (!take_number(rest, trigger.limit) || !rest.empty())
    return wrong(trigger, condition, kExpected);
  return trigger;
}

}  // namespace

bool parse_duration(std::string_view text, std::uint64_t& ns) {
  constexpr double kMaximum = 1e18;
  const auto duration = base::parse_duration(text);
  if (!duration || *duration >= kMaximum) return false;
  ns = static_cast<std::uint64_t>(*duration);
  return true;
}

std::string duration_text(double ns) {
  const base::Scaled scaled = base::scaled_duration(ns);
  const double value = scaled.is_smallest_unit ? std::round(scaled.value) : scaled.value;
  return fmt::format("{:.4g} {}", value, scaled.unit);
}

bool FlightTrigger::matches(std::string_view text) const {
  return fnmatch(name.c_str(), std::string(text).c_str(), 0) == 0;
}

// Names may contain colons.
base::Result<FlightTrigger> parse_trigger(const std::string& words) {
  using Kind = FlightTrigger::Kind;
  FlightTrigger trigger{.words = words};
  const std::size_t first = words.find(':');
  const std::size_t last = words.rfind(':');
  if (first == std::string::npos || first == last || first + 1 == last || last + 1 == words.size())
    return fail("--trigger " + words + ": not KIND:NAME:CONDITION, such as 'range:step:>500ms'");
  const std::string kind = words.substr(0, first);
  const std::string condition = words.substr(last + 1);
  trigger.name = words.substr(first + 1, last - first - 1);
  if (kind == "cuda" && condition == "error") {
    trigger.kind = Kind::kCudaError;
    return trigger;
  }
  constexpr std::pair<std::string_view, Kind> kKindsOfDurations[] = {{"range", Kind::kRange},
                                                                     {"cuda", Kind::kCuda},
                                                                     {"osrt", Kind::kOsrt},
                                                                     {"gpu-idle", Kind::kGpuIdle}};
  for (const auto& [word, each] : kKindsOfDurations)
    if (kind == word) {
      trigger.kind = each;
      return with_duration(std::move(trigger), condition);
    }
  if (kind == "rate") {
    trigger.kind = Kind::kRate;
    return with_rate(std::move(trigger), condition);
  }
  if (kind == "metric") {
    trigger.kind = Kind::kMetric;
    return with_value(std::move(trigger), condition);
  }
  return fail("--trigger " + words + ": \"" + kind + "\" is not " + kKinds);
}

}  // namespace prof::session
