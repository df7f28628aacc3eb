#include "collector/metrics/kernels/kernel_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <sstream>
#include <utility>

#include "common/base/text/suggestion.hpp"

namespace prof::metrics {

using base::fail;

namespace {

constexpr std::pair<std::string_view, std::string_view> kKernelSetFiles[] = {
#include "kernel_sets.inc"
};
constexpr std::string_view kKernelSetEnding = ".metrics";
// The sets of --set that are not sections, in the order of their price.
constexpr std::string_view kKernelSetOrder[] = {"quick", "basic", "full"};

std::vector<std::string> words_in(std::string_view line) {
  std::istringstream stream{std::string(line)};
  return {std::istream_iterator<std::string>(stream), {}};
}

// Parses "NAME [except CHIP…]".
bool parse_kernel_metric(const std::vector<std::string>& words, KernelMetric& metric) {
  metric.name = words.front();
  if (words.size() == 1) return true;
  if (words[1] != "except" || words.size() == 2) return false;
  metric.except.assign(words.begin() + 2, words.end());
  return true;
}

bool parse_kernel_line(const std::string& line, KernelSet& set) {
  constexpr std::string_view kTitle = "name: ";
  const std::vector<std::string> words = words_in(line);
  if (words.empty() || words.front().starts_with('#')) return true;
  if (line.starts_with(kTitle)) {
    set.title = line.substr(kTitle.size());
    return true;
  }
  if (words.front() == "include:") {
    set.include.assign(words.begin() + 1, words.end());
    return true;
  }
  return parse_kernel_metric(words, set.metrics.emplace_back());
}

// Returns the place of a set in lists: sections come last.
std::size_t place_of(const KernelSet& set) {
  return static_cast<std::size_t>(std::ranges::find(kKernelSetOrder, set.id) -
                                  std::begin(kKernelSetOrder));
}

std::vector<KernelSet> read_kernel_sets() {
  std::vector<KernelSet> sets;
  for (const auto& [name, text] : kKernelSetFiles) {
    auto set = parse_kernel_set(text, std::string(name));
    set->id = name.substr(0, name.size() - kKernelSetEnding.size());
    set->is_section = place_of(*set) == std::size(kKernelSetOrder);
    sets.push_back(std::move(*set));
  }
  for (KernelSet& set : sets)
    for (const std::string& id : set.include)
      add_kernel_metrics(set.metrics, std::ranges::find(sets, id, &KernelSet::id)->metrics);
  std::ranges::stable_sort(sets, {}, place_of);
  return sets;
}

}  // namespace

bool KernelMetric::is_for(std::string_view chip) const {
  return std::ranges::none_of(except, [&](const auto& each) { return chip.starts_with(each); });
}

bool KernelMetric::is_by_instruction() const {
  return name.starts_with("smsp__sass_") && name.find('.') == std::string::npos;
}

bool needs_metric_list(const std::string& word) {
  for (const std::string_view prefix : {kRegexMetrics, kGroupMetrics, kInputMetrics})
    if (word.starts_with(prefix)) return true;
  return word.find('.') == std::string::npos && !KernelMetric{word}.is_by_instruction();
}

base::Result<KernelSet> parse_kernel_set(std::string_view text, const std::string& source) {
  KernelSet set;
  std::istringstream lines{std::string(text)};
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (!parse_kernel_line(line, set))
      return fail(
          fmt::format("{}:{}: a line is \"name: TITLE\", \"include: SECTION…\", \"METRIC\" or "
                      "\"METRIC except CHIP…\"",
                      source, number));
  }
  return set;
}

const std::vector<KernelSet>& kernel_sets() {
  static const std::vector<KernelSet> sets = read_kernel_sets();
  return sets;
}

void add_kernel_metrics(std::vector<KernelMetric>& list, const std::vector<KernelMetric>& more) {
  for (const KernelMetric& each : more)
    if (std::ranges::find(list, each.name, &KernelMetric::name) == list.end()) list.push_back(each);
}

base::Result<std::vector<KernelMetric>> find_kernel_metrics(const std::string& names) {
  std::vector<KernelMetric> metrics;
  std::vector<std::string> ids;
  for (const KernelSet& set : kernel_sets()) ids.push_back(set.id);
  std::istringstream words(names);
  for (std::string word; std::getline(words, word, ',');) {
    const auto set = std::ranges::find(kernel_sets(), word, &KernelSet::id);
    if (set == kernel_sets().end())
      return fail("unknown set or section " + word + base::suggestion(word, ids) +
                  " (see prof kernel --list-sets and --list-sections)");
    add_kernel_metrics(metrics, set->metrics);
  }
  return metrics;
}

std::string describe_kernel_sets(bool sections) {
  std::string text =
      sections ? "Sections of prof kernel --set and --section:\n" : "Sets of prof kernel --set:\n";
  for (const KernelSet& set : kernel_sets())
    if (set.is_section == sections)
      text += fmt::format("  {:<30} {} ({} metrics)\n", set.id, set.title, set.metrics.size());
  return text;
}

}  // namespace prof::metrics
