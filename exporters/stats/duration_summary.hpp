// Groups durations by name and summarises each group: the shape of every "*_sum" report.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "exporters/stats/table.hpp"

namespace prof::stats {

// Summary of one group of durations, ns.
struct Durations {
  std::int64_t count = 0;
  std::int64_t total = 0;
  double average = 0;
  double median = 0;  // mean of the middle two for an even count
  std::int64_t minimum = 0;
  std::int64_t maximum = 0;
  double deviation = 0;  // sample standard deviation (n - 1); 0 for one value
};

// `values` is reordered.
Durations summarise(std::vector<std::int64_t>& values);

// Collects durations under a key and yields the groups by falling total.
template <class Key, class Hash = std::hash<Key>>
class DurationGroups {
 public:
  void add(const Key& key, std::int64_t duration) { groups_[key].push_back(duration); }

  struct Group {
    Key key;
    Durations durations;
    double percent;  // of the total over all groups
  };
  std::vector<Group> summarise();

 private:
  std::unordered_map<Key, std::vector<std::int64_t>, Hash> groups_;
};

// "Time (%)", "Total Time (ns)", `count_header`, "Avg (ns)" … "StdDev (ns)".
std::vector<ColumnSpec> summary_columns(const char* count_header);
std::vector<Cell> summary_cells(const Durations& durations, double percent);

template <class Key, class Hash>
std::vector<typename DurationGroups<Key, Hash>::Group> DurationGroups<Key, Hash>::summarise() {
  std::vector<Group> result;
  std::int64_t total = 0;
  for (auto& [key, values] : groups_) {
    result.push_back({key, stats::summarise(values), 0});
    total += result.back().durations.total;
  }
  for (Group& group : result)
    group.percent = total == 0 ? 0
                               : 100.0 * static_cast<double>(group.durations.total) /
                                     static_cast<double>(total);
  std::sort(result.begin(), result.end(), [](const Group& a, const Group& b) {
    return a.durations.total != b.durations.total ? a.durations.total > b.durations.total
                                                  : a.key < b.key;
  });
  return result;
}

}  // namespace prof::stats
