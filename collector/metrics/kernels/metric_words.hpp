// What prof kernel --metrics accepts beside full names: regex:EXPRESSION, group:NAME,
// breakdown:THROUGHPUT, and names without a suffix. Also finds the name that a misspelt one was
// meant to be.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "collector/metrics/kernels/pass_plan.hpp"
#include "common/base/result.hpp"

namespace prof::metrics {

// Returns the names of the metric with the suffixes of the first level: .avg, .max, .min and .sum
// of a counter; .max_rate, .pct and .ratio of a ratio; percentages of a throughput.
std::vector<std::string> with_suffixes(const MetricFacts& metric);

// Returns the metrics that a word means, but for breakdown:. Fails if there is none. `metrics`: the
// base metrics of the chip.
base::Result<std::vector<std::string>> expand_metric(const std::string& word,
                                                     const std::vector<MetricFacts>& metrics);

// Returns the inputs of the throughput of a word breakdown:THROUGHPUT, with its suffix; without
// one, with those of throughputs. Fails if the chip has no such throughput.
base::Result<std::vector<std::string>> expand_inputs(const PassPlanner& planner,
                                                     const std::string& chip,
                                                     const std::string& word);

// Returns "; did you mean NAME?", or "" if no name is near.
std::string metric_suggestion(const std::string& name, const std::vector<MetricFacts>& metrics);

}  // namespace prof::metrics
