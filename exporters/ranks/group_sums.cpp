#include "exporters/ranks/group_sums.hpp"

#include <algorithm>

namespace prof::ranks {

namespace {

// Makes one entry of the entries of a unit.
GroupSums::Totals joined(GroupSums::Totals totals) {
  std::sort(totals.begin(), totals.end());
  std::size_t kept = 0;
  for (const auto& [unit, total] : totals) {
    if (kept > 0 && totals[kept - 1].first == unit)
      totals[kept - 1].second = sum(totals[kept - 1].second, total);
    else
      totals[kept++] = {unit, total};
  }
  totals.resize(kept);
  return totals;
}

}  // namespace

void GroupSums::add(std::uint32_t unit, const Sum& sum) {
  for (const auto& [labels, values] : sum.groups) {
    Group& group = groups_[labels];
    const std::size_t before = group.values.size();
    group.values.add(values.table);
    size_ = size_ - before + group.values.size();
    group.totals.resize(std::max(group.totals.size(), values.totals.size()));
    for (std::size_t i = 0; i < values.totals.size(); ++i)
      group.totals[i] = ranks::sum(group.totals[i], values.totals[i]);
    group.total_of.emplace_back(unit, values.table.total());
  }
  if (size_ <= next_check_) return;
  limit();
  next_check_ = std::max(limits_.bytes, 2 * size_);
}

// Values of several units that are equal are counted once. So the size depends on what was added
// only, and when this is called does not matter.
void GroupSums::limit() {
  size_ = 0;
  bool has_sketches = false;
  for (auto& [labels, group] : groups_) {
    const ValueTable& table = group.values.table();
    has_sketches |= table.is_sketch();
    size_ += table.entries().size();
  }
  if (size_ <= limits_.bytes && !has_sketches) return;
  size_ = 0;
  for (auto& [labels, group] : groups_) {
    if (group.values.size() > limits_.values) group.values.make_sketch();
    size_ += group.values.size();
  }
}

bool GroupSums::has_inexact() {
  if (!is_finished_) {
    limit();
    for (auto& [labels, group] : groups_)
      if (group.values.table().is_sketch()) group.middle = group.values.table().middle_bins();
  }
  is_finished_ = true;
  return std::ranges::any_of(groups_, [](const auto& group) { return !group.second.is_exact(); });
}

std::vector<GroupSums::Row> GroupSums::rows() {
  has_inexact();
  std::vector<Row> rows;
  for (auto& [labels, group] : groups_) {
    Row row{{labels, group.values.table().summarise()}, joined(group.total_of)};
    for (const Wide total : group.totals) row.summary.totals.push_back(narrow(total));
    if (group.middle && group.is_exact()) {
      const auto lower = static_cast<double>(group.wanted.value_at(group.middle->lower_place));
      const auto upper = static_cast<double>(group.wanted.value_at(group.middle->upper_place));
      row.summary.values.median = (lower + upper) / 2;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

void GroupSums::keep_wanted(Sum& sum) const {
  for (auto& [labels, values] : sum.groups) {
    const auto group = groups_.find(labels);
    const bool is_wanted = group != groups_.end() && group->second.middle;
    values.table = is_wanted ? values.table.values_in(*group->second.middle) : ValueTable();
  }
}

void GroupSums::add_wanted(const Sum& sum) {
  for (const auto& [labels, values] : sum.groups) {
    const auto group = groups_.find(labels);
    if (group != groups_.end()) group->second.wanted.merge(values.table);
  }
}

}  // namespace prof::ranks
