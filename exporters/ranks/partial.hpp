// Partial results: what one report, or several, add to the statistics of a job. They merge without
// loss: merge() does not depend on the order or the grouping, and equal partial results have equal
// bytes.
//
// The tables of values of a statistic of a unit have a limited size. If they are larger, those of
// groups with many values become sketches. Whether a group is a sketch depends only on the values
// of its statistic and unit, not on how they came together: a table does not become smaller when
// values are added to it, and the sketch of a sum is the sum of sketches.
#pragma once

#include <compare>
#include <cstddef>
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

bool has_sketches(const Sum& sum);

struct Limits {
  std::size_t bytes = 512 << 10;  // of the tables of a statistic of a unit
  std::size_t values = 1024;      // a table with no more values never becomes a sketch
};
// Limits that no report reaches.
inline constexpr Limits kUnlimited = {SIZE_MAX, SIZE_MAX};

// Makes sketches of the tables with many values if the statistic is too large.
void limit(Sum& sum, const Limits& limits = {});
void limit(Partial& partial, const Limits& limits = {});

// Adds `from` to `into`. Both keep to the limits before, and the sum does after.
void merge(Partial& into, const Partial& from, const Limits& limits = {});
void merge(Values& into, const Values& from);

std::string bytes_of(const Partial& partial);
base::Result<Partial> partial_of(std::string_view bytes);
std::string bytes_of(const Values& values);
base::Result<Values> values_of(std::string_view bytes);

}  // namespace prof::ranks
