// Partial results: what one report, or several, add to the statistics of a job. They merge without
// loss: merge() does not depend on the order or the grouping, and equal partial results have equal
// bytes.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "exporters/ranks/value_table.hpp"

namespace prof::ranks {

// The source of events: a rank of a job. A report may have the events of several ranks, and of
// processes without a rank.
struct Unit {
  std::string job;                                // empty: unknown
  std::optional<std::int64_t> rank;               // nothing: processes without a rank
  std::string node;                               // name of the host; empty: unknown
  std::string report;                             // only without a rank: the name of the report
  auto operator<=>(const Unit&) const = default;  // NOLINT(modernize-use-nullptr)
};

// The events of a group.
struct Values {
  ValueTable table;
  std::vector<Wide> totals;  // further numbers that add up
  bool operator==(const Values&) const = default;
};

// The groups of one statistic by their labels. A statistic with estimates has no groups.
struct Sum {
  bool has_estimates = false;
  std::map<std::vector<std::string>, Values> groups;
  bool operator==(const Sum&) const = default;
};

// For each unit its statistics, by name with arguments: "cuda_gpu_kern_sum:base".
using Sums = std::map<std::string, Sum>;
using Partial = std::map<Unit, Sums>;

// Adds `from` to `into`.
void merge(Partial& into, const Partial& from);
void merge(Values& into, const Values& from);

std::string bytes_of(const Partial& partial);
base::Result<Partial> partial_of(std::string_view bytes);
std::string bytes_of(const Values& values);
base::Result<Values> values_of(std::string_view bytes);

}  // namespace prof::ranks
