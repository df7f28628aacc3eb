// Groups durations by name and summarizes each group, for the "*_sum" reports.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "exporters/analysis/events/sums.hpp"
#include "exporters/analysis/tables/table.hpp"

namespace prof::stats {

// The summary of a group of durations, in ns.
struct Durations {
  std::int64_t count = 0;
  std::int64_t total = 0;
  double average = 0;
  double median = 0;  // the mean of the middle two if the count is even
  std::int64_t minimum = 0;
  std::int64_t maximum = 0;
  double deviation = 0;  // sample standard deviation (n - 1); 0 for one value
};

// Summarizes durations, and reorders `values`.
Durations summarise(std::vector<std::int64_t>& values);

// A duration, and the number of events that it stands for.
struct WeightedDuration {
  std::int64_t duration;
  std::int64_t weight;
};
struct WeightedSummary {
  Durations durations;
  double error;  // percent, standard error of the total
};
// Summarizes durations with weights, and reorders `values`.
WeightedSummary summarise_weighted(std::vector<WeightedDuration>& values);

// Returns the value below which this share of the values is, interpolated between two values.
// `sorted` is in ascending order and not empty.
double quantile(const std::vector<std::int64_t>& sorted, double share);

// Collects durations by key and returns the groups by total, largest first.
template <class Key, class Hash = std::hash<Key>>
class DurationGroups {
 public:
  void add(const Key& key, std::int64_t duration) {
    Recent& recent = recent_[Hash()(key) % recent_.size()];
    std::vector<std::int64_t>* durations = recent.key == key ? recent.durations : nullptr;
    if (durations == nullptr) {
      durations = &groups_[key];
      recent = {key, durations};
    }
    durations->push_back(duration);
  }

  struct Group {
    Key key;
    Durations durations;
    double percent;  // share of the total of all groups
  };
  std::vector<Group> summarise();
  // Returns the durations of each group, in the order of the keys.
  std::vector<std::pair<Key, std::vector<std::int64_t>>> take();

 private:
  // A cache of recently used groups, because most events belong to a few groups.
  struct Recent {
    Key key;
    std::vector<std::int64_t>* durations;
  };

  std::unordered_map<Key, std::vector<std::int64_t>, Hash> groups_;
  std::array<Recent, 1024> recent_ = {};
};

// Returns the columns "Time (%)", "Total Time (ns)", `count_header`, "Avg (ns)" … "StdDev (ns)".
std::vector<tables::ColumnSpec> summary_columns(const char* count_header);
std::vector<tables::Cell> summary_cells(const Durations& durations, double percent);

// Sorts rows with equal values in column `equal` by their last cell. The table must be sorted by
// `equal` already.
void sort_ties(tables::Table& table, std::size_t equal);

template <class Key, class Hash>
std::vector<typename DurationGroups<Key, Hash>::Group> DurationGroups<Key, Hash>::summarise() {
  std::vector<Group> result;
  std::int64_t total = 0;
  for (auto& [key, values] : groups_) {
    result.push_back({key, stats::summarise(values), 0});
    total = events::sum(total, result.back().durations.total);
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

template <class Key, class Hash>
std::vector<std::pair<Key, std::vector<std::int64_t>>> DurationGroups<Key, Hash>::take() {
  std::vector<std::pair<Key, std::vector<std::int64_t>>> result;
  for (auto& [key, values] : groups_) result.emplace_back(key, std::move(values));
  std::sort(result.begin(), result.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  groups_.clear();
  recent_ = {};
  return result;
}

// Collects events that stand for several events (--max-overhead). Counts and times are estimates
// for all events.
template <class Key>
class WeightedGroups {
 public:
  static constexpr bool kIsEstimate = true;

  void add(const Key& key, std::int64_t duration, std::int64_t weight) {
    groups_[key].push_back({duration, std::max<std::int64_t>(weight, 1)});
  }

  struct Group {
    Key key;
    Durations durations;
    double percent;
    std::int64_t recorded;
    double error;  // percent, standard error of the total
  };
  std::vector<Group> summarise();

 private:
  std::map<Key, std::vector<WeightedDuration>> groups_;
};

template <class Key>
std::vector<typename WeightedGroups<Key>::Group> WeightedGroups<Key>::summarise() {
  std::vector<Group> result;
  std::int64_t total = 0;
  for (auto& [key, values] : groups_) {
    const auto recorded = static_cast<std::int64_t>(values.size());
    const WeightedSummary summary = summarise_weighted(values);
    result.push_back({key, summary.durations, 0, recorded, summary.error});
    total = events::sum(total, summary.durations.total);
  }
  for (Group& group : result)
    group.percent = total == 0 ? 0
                               : 100.0 * static_cast<double>(group.durations.total) /
                                     static_cast<double>(total);
  std::stable_sort(result.begin(), result.end(), [](const Group& a, const Group& b) {
    return a.durations.total > b.durations.total;
  });
  return result;
}

// Makes the whole table: one row for each group with its summary and its labels, `labels_of(key)`.
// Groups with equal totals are sorted by the last label, as in nsys. Estimates have two additional
// columns before the labels.
template <class Groups, class LabelsOf>
tables::Table summary_table(Groups& groups, const char* count_header,
                            const std::vector<const char*>& label_headers, LabelsOf labels_of) {
  tables::Table table{summary_columns(count_header), {}};
  constexpr bool kIsEstimate = requires { Groups::kIsEstimate; };
  if constexpr (kIsEstimate) {
    table.columns.push_back({"Recorded", tables::CellKind::kInteger});
    table.columns.push_back({"Est. Error (%)", tables::CellKind::kReal, 1});
  }
  for (const char* header : label_headers)
    table.columns.push_back({header, tables::CellKind::kText});
  for (const auto& group : groups.summarise()) {
    auto cells = summary_cells(group.durations, group.percent);
    if constexpr (kIsEstimate) {
      cells.emplace_back(group.recorded);
      cells.emplace_back(group.error);
    }
    for (std::string& label : labels_of(group.key)) cells.emplace_back(std::move(label));
    table.rows.push_back(std::move(cells));
  }
  sort_ties(table, 1);
  return table;
}

}  // namespace prof::stats
