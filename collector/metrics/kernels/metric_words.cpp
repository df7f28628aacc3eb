#include "collector/metrics/kernels/metric_words.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "collector/metrics/kernels/metric_groups.hpp"
#include "common/base/text/regular_expression.hpp"
#include "common/base/text/suggestion.hpp"

namespace prof::metrics {

namespace {

std::vector<std::string> suffixes_of(MetricKind kind) {
  switch (kind) {
    case MetricKind::kCounter:
      return {".avg", ".max", ".min", ".sum"};
    case MetricKind::kRatio:
      return {".max_rate", ".pct", ".ratio"};
    case MetricKind::kThroughput:
      break;
  }
  std::vector<std::string> suffixes;
  for (const char* rollup : {"avg", "max", "min", "sum"})
    for (const char* cycles : {"active", "elapsed"})
      suffixes.push_back(fmt::format(".{}.pct_of_peak_sustained_{}", rollup, cycles));
  return suffixes;
}

std::vector<std::string> names_of(const std::vector<MetricFacts>& metrics) {
  std::vector<std::string> names;
  for (const MetricFacts& each : metrics) names.push_back(each.name);
  return names;
}

const MetricFacts* find_base(const std::string& name, const std::vector<MetricFacts>& metrics) {
  const auto found = std::ranges::find(metrics, name, &MetricFacts::name);
  return found == metrics.end() ? nullptr : &*found;
}

base::Result<std::vector<std::string>> expand_regex(const std::string& expression,
                                                    const std::vector<MetricFacts>& metrics) {
  const auto pattern = base::RegularExpression::make(expression);
  if (!pattern)
    return base::fail(fmt::format("--metrics: {} is not a regular expression ({})", expression,
                                  pattern.error().message));
  std::vector<std::string> matching;
  for (const MetricFacts& each : metrics) {
    const bool matches_base = pattern->matches(each.name);
    for (std::string& name : with_suffixes(each))
      if (matches_base || pattern->matches(name)) matching.push_back(std::move(name));
  }
  if (matching.empty())
    return base::fail("--metrics: no metric of the chip matches regex:" + expression);
  return matching;
}

}  // namespace

std::vector<std::string> with_suffixes(const MetricFacts& metric) {
  std::vector<std::string> names;
  for (const std::string& suffix : suffixes_of(metric.kind)) names.push_back(metric.name + suffix);
  return names;
}

base::Result<std::vector<std::string>> expand_metric(const std::string& word,
                                                     const std::vector<MetricFacts>& metrics) {
  if (word.starts_with(kRegexMetrics))
    return expand_regex(word.substr(kRegexMetrics.size()), metrics);
  if (word.starts_with(kGroupMetrics))
    return group_metrics(word.substr(kGroupMetrics.size()), metrics);
  if (const MetricFacts* found = find_base(word, metrics)) return with_suffixes(*found);
  return base::fail("--metrics: unknown metric " + word + metric_suggestion(word, metrics));
}

base::Result<std::vector<std::string>> expand_inputs(const PassPlanner& planner,
                                                     const std::string& chip,
                                                     const std::string& word) {
  const std::string throughput = word.substr(kInputMetrics.size());
  const std::size_t dot = std::min(throughput.find('.'), throughput.size());
  const auto inputs = planner.inputs(chip, throughput.substr(0, dot));
  if (!inputs) return tl::make_unexpected(inputs.error());
  const std::string suffix = throughput.substr(dot);
  std::vector<std::string> names;
  for (const std::string& input : *inputs)
    for (const std::string& each :
         suffix.empty() ? suffixes_of(MetricKind::kThroughput) : std::vector{suffix})
      names.push_back(input + each);
  return names;
}

std::string metric_suggestion(const std::string& name, const std::vector<MetricFacts>& metrics) {
  const std::size_t dot = name.find('.');
  const std::string base_name = name.substr(0, dot);
  if (const MetricFacts* found = find_base(base_name, metrics))
    return base::suggestion(name, with_suffixes(*found));
  const std::string near = base::nearest(base_name, names_of(metrics));
  if (near.empty()) return {};
  return fmt::format("; did you mean {}{}?", near, name.substr(std::min(dot, name.size())));
}

}  // namespace prof::metrics
