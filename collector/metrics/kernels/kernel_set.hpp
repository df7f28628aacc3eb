// Sets of metrics of kernels: what prof kernel asks the hardware for.
//
// A set is a file of sets/. One with "include:" is a set of --set; the others are sections, which
// have Nsight Compute's names. A metric has CUPTI's name, which is Nsight Compute's, too:
//
//   name: How close to the limits of the GPU
//   include: SpeedOfLight Occupancy
//   dram__bytes.sum except GA10B GB20       (chips, or beginnings of chips, that do not have it)
//   smsp__sass_sectors_mem_global           (without a suffix: counted by instruction)
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"

namespace prof::metrics {

struct KernelMetric {
  std::string name{};
  std::vector<std::string> except{};  // beginnings of names of chips

  bool is_for(std::string_view chip) const;
  // True for CUPTI's SASS metrics, which patched code counts, not the GPU's counters.
  bool is_by_instruction() const;
};

// What a word of --metrics begins with in place of a metric's name: before a regular expression,
// the name of a group, and a throughput whose inputs are meant.
inline constexpr std::string_view kRegexMetrics = "regex:";
inline constexpr std::string_view kGroupMetrics = "group:";
inline constexpr std::string_view kInputMetrics = "breakdown:";

// True if a word of --metrics means metrics that only the list of a chip's metrics shows: one of
// the above, or a name without a suffix that is not of a SASS metric.
bool needs_metric_list(const std::string& word);

struct KernelSet {
  std::string id{};
  std::string title{};
  std::vector<std::string> include{};
  std::vector<KernelMetric> metrics{};  // with those of the included sections, each once
  bool is_section = true;
};

// Returns quick, basic and full, then the sections.
const std::vector<KernelSet>& kernel_sets();

// Parses a set without what it includes. `source`: name of the file, for messages.
base::Result<KernelSet> parse_kernel_set(std::string_view text, const std::string& source);

// Returns the metrics of sets and sections, separated by commas; each metric once.
base::Result<std::vector<KernelMetric>> find_kernel_metrics(const std::string& names);

// Appends metrics that are not in the list yet.
void add_kernel_metrics(std::vector<KernelMetric>& list, const std::vector<KernelMetric>& more);

// Returns the text of prof kernel --list-sets or, with `sections`, --list-sections.
std::string describe_kernel_sets(bool sections);

}  // namespace prof::metrics
