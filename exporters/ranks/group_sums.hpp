// The groups of one statistic in one kind of rows of a job: of all ranks, of a node, or of a rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "exporters/analysis/stats/value_groups.hpp"
#include "exporters/ranks/partial.hpp"
#include "exporters/ranks/value_table.hpp"

namespace prof::ranks {

// The most distinct values of a statistic of a job that stay in memory (64 MB). If there are more,
// groups with many values become sketches, as limit() does it in partial results.
inline constexpr Limits kJobLimits = {std::size_t{4} << 20, Limits().values};

class GroupSums {
 public:
  using Totals = std::vector<std::pair<std::uint32_t, Wide>>;  // units by number

  struct Row {
    stats::GroupSummary summary;
    Totals total_of;  // each unit once
  };

  // Limits are in distinct values here.
  explicit GroupSums(const Limits& limits = kJobLimits)
      : limits_(limits), next_check_(limits.bytes) {}

  // Adds the groups of a unit. A unit may come again.
  void add(std::uint32_t unit, const Sum& sum);

  // The functions below are called when all units were added.

  // Decides which tables are sketches. Returns whether there is a median that is not exact.
  bool has_inexact();
  std::vector<Row> rows();

  // A second pass over the events makes medians exact. Removes from the groups of a unit all values
  // that are not needed for this. Several threads may call it together after has_inexact().
  void keep_wanted(Sum& sum) const;
  void add_wanted(const Sum& sum);

 private:
  struct Group {
    ValueTableSum values;
    std::vector<Wide> totals;
    Totals total_of;
    std::optional<MiddleBins> middle = {};  // of a sketch
    ValueTable wanted = {};                 // the values of these bins

    bool is_exact() const { return !middle || wanted.count() == middle->count; }
  };

  void limit();

  std::map<std::vector<std::string>, Group> groups_;
  Limits limits_;
  std::size_t size_ = 0;  // entries in memory
  std::size_t next_check_;
  bool is_finished_ = false;
};

}  // namespace prof::ranks
