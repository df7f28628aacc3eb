#include "collector/metrics/gpu/metric_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <utility>

#include "collector/spool/metric_records.hpp"
#include "common/base/text/suggestion.hpp"
#include "common/base/text_file.hpp"

namespace prof::metrics {

using base::fail;

namespace {

constexpr std::pair<std::string_view, std::string_view> kFiles[] = {
#include "metric_sets.inc"
};
constexpr std::string_view kFileEnding = ".metrics";
constexpr std::string_view kFilePrefix = "file:";
constexpr std::string_view kAnyChip = "*";

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

// Removes `word` and the space before it from the end.
bool take_last_word(std::string_view& text, std::string_view word) {
  if (!text.ends_with(word)) return false;
  const std::string_view rest = text.substr(0, text.size() - word.size());
  if (!rest.ends_with(' ')) return false;
  text = trimmed(rest);
  return true;
}

bool take_factor(std::string_view& text, double& factor) {
  const std::size_t star = text.find('*');
  if (star == std::string_view::npos) return true;
  const std::string_view number = trimmed(text.substr(star + 1));
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), factor);
  text = trimmed(text.substr(0, star));
  return error == std::errc() && end == number.data() + number.size();
}

// Parses "NAME = COUNTER [* FACTOR] [optional]".
bool parse_metric(std::string_view line, GpuMetric& metric) {
  const std::size_t equals = line.find(" = ");
  if (equals == std::string_view::npos) return false;
  metric.name = trimmed(line.substr(0, equals));
  std::string_view rest = trimmed(line.substr(equals + 3));
  metric.is_optional = take_last_word(rest, "optional");
  if (!take_factor(rest, metric.factor)) return false;
  metric.counter = rest;
  return !metric.name.empty() && !rest.empty() && rest.find(' ') == std::string_view::npos;
}

std::vector<std::string> words_of(std::string_view text) {
  std::istringstream stream{std::string(text)};
  return {std::istream_iterator<std::string>(stream), {}};
}

bool parse_line(std::string_view line, MetricSet& set) {
  constexpr std::string_view kTitle = "name:";
  constexpr std::string_view kChips = "chips:";
  if (line.empty() || line.starts_with('#')) return true;
  if (line.starts_with(kTitle)) {
    set.title = trimmed(line.substr(kTitle.size()));
    return true;
  }
  if (line.starts_with(kChips)) {
    set.chips = words_of(line.substr(kChips.size()));
    return true;
  }
  return parse_metric(line, set.metrics.emplace_back());
}

std::vector<MetricSet> read_built_in_sets() {
  std::vector<MetricSet> sets;
  for (const auto& [name, text] : kFiles) {
    auto set = parse_metric_set(text, std::string(name));
    set->id = name.substr(0, name.size() - kFileEnding.size());
    sets.push_back(std::move(*set));
  }
  // General sets come first, and the set for any chip last.
  std::ranges::stable_sort(sets, {}, [](const MetricSet& set) {
    return std::pair(set.is_for(kAnyChip), set.id.find('-') != std::string::npos);
  });
  return sets;
}

base::Result<MetricSet> read_set_file(const std::string& path) {
  const auto text = base::read_text_file(path);
  if (!text) return base::fail_errno("cannot read the metric set " + path, errno);
  return parse_metric_set(*text, path);
}

}  // namespace

// Clocks keep nsys's names, which say MHz, and its values, which are in Hz.
std::string GpuMetric::unit() const {
  if (factor == 1 && counter.ends_with("__cycles_elapsed.avg.per_second")) return "Hz";
  const std::size_t open = name.rfind('[');
  if (open == std::string::npos || !name.ends_with(']')) return {};
  const std::string unit = name.substr(open + 1, name.size() - open - 2);
  if (unit == "Throughput %") return "%";
  return unit == "Avg" || unit == "Sum" ? std::string() : unit;
}

std::string_view GpuMetric::base() const {
  const std::size_t unit = counter.find("__");
  const std::size_t end = counter.find('.', unit == std::string::npos ? 0 : unit);
  return std::string_view(counter).substr(0, end);
}

bool MetricSet::is_for(std::string_view chip) const {
  return std::ranges::any_of(chips,
                             [&](const auto& each) { return each == chip || each == kAnyChip; });
}

base::Result<MetricSet> parse_metric_set(std::string_view text, const std::string& source) {
  MetricSet set;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    ++number;
    if (!parse_line(trimmed(text.substr(0, end)), set))
      return fail(
          fmt::format("{}:{}: a line is \"name: TITLE\", \"chips: CHIP…\" or \"NAME [UNIT] "
                      "= COUNTER\", with \"* FACTOR\" and \"optional\" after it",
                      source, number));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (set.metrics.empty()) return fail(source + " has no metrics");
  if (set.metrics.size() > spool::kMaxCounters)
    return fail(fmt::format("{} has {} metrics, and a set can have {}", source, set.metrics.size(),
                            spool::kMaxCounters));
  if (set.chips.empty()) set.chips.emplace_back(kAnyChip);
  return set;
}

const std::vector<MetricSet>& built_in_sets() {
  static const std::vector<MetricSet> sets = read_built_in_sets();
  return sets;
}

base::Result<MetricSet> find_metric_set(const std::string& word) {
  if (word.starts_with(kFilePrefix)) return read_set_file(word.substr(kFilePrefix.size()));
  std::vector<std::string> ids;
  for (const MetricSet& set : built_in_sets()) {
    if (set.id == word) return set;
    ids.push_back(set.id);
  }
  return fail("unknown metric set " + word + base::suggestion(word, ids) +
              " (see --gpu-metrics-set=help)");
}

const MetricSet& default_set(std::string_view chip) {
  return *std::ranges::find_if(built_in_sets(),
                               [&](const MetricSet& set) { return set.is_for(chip); });
}

std::string describe_sets() {
  std::string text = "Metric sets of --gpu-metrics-set:\n";
  for (const MetricSet& set : built_in_sets())
    text += fmt::format("  {:<14} {} ({} metrics)\n", set.id, set.title, set.metrics.size());
  return text + "  file:PATH      a set of your own; see docs/gpu-metrics.md\n";
}

}  // namespace prof::metrics
