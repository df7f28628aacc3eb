#include "exporters/viewer/timeline/columns/links.hpp"

#include <algorithm>

#include "common/base/sorted_runs.hpp"

namespace prof::timeline {

void Links::add(std::int64_t process, RowId row, Side side,
                std::vector<std::uint32_t> correlations) {
  const std::size_t count = correlations.size();
  if (count > UINT32_MAX - next_) return;  // the report has more than 4 billion events
  rows_.push_back({next_, static_cast<std::uint32_t>(count), row});
  added_.push_back({process, side, next_, std::move(correlations)});
  next_ += static_cast<std::uint32_t>(count);
}

void Links::finish() {
  const auto entries_of = [&](const Added& added) -> std::vector<Entry>& {
    Both& both = processes_[added.process];
    return added.side == Side::kCall ? both.calls : both.work;
  };
  std::unordered_map<std::vector<Entry>*, std::size_t> sizes;
  for (const Added& added : added_) {
    const auto& ids = added.correlations;
    sizes[&entries_of(added)] +=
        ids.size() - static_cast<std::size_t>(std::count(ids.begin(), ids.end(), 0U));
  }
  for (auto& [entries, size] : sizes) entries->reserve(size);
  for (Added& added : added_) {
    auto& entries = entries_of(added);
    std::uint32_t number = added.first;
    for (const std::uint32_t correlation : added.correlations) {
      if (correlation != 0) entries.push_back({correlation, number});
      ++number;
    }
    std::vector<std::uint32_t>().swap(added.correlations);
  }
  added_ = {};
  for (auto& [process, both] : processes_) {
    base::sort_runs(both.calls);
    base::sort_runs(both.work);
  }
}

Links::EventRef Links::place(std::uint32_t number) const {
  const auto after =
      std::upper_bound(rows_.begin(), rows_.end(), number,
                       [](std::uint32_t value, const Numbers& row) { return value < row.first; });
  const Numbers& row = *(after - 1);
  return {row.row, number - row.first};
}

std::vector<Links::EventRef> Links::places(std::int64_t process, Side side,
                                           std::uint32_t correlation) const {
  std::vector<EventRef> result;
  const auto both = processes_.find(process);
  if (both == processes_.end() || correlation == 0) return result;
  const auto& entries = side == Side::kCall ? both->second.calls : both->second.work;
  auto at = std::lower_bound(entries.begin(), entries.end(), Entry{correlation, 0});
  for (; at != entries.end() && at->correlation == correlation; ++at)
    result.push_back(place(at->number));
  return result;
}

std::optional<std::pair<std::int64_t, std::uint32_t>> Links::correlation(
    const EventRef& wanted) const {
  for (const Numbers& row : rows_) {
    if (row.row != wanted.row || wanted.index >= row.count) continue;
    const auto number = row.first + static_cast<std::uint32_t>(wanted.index);
    const auto is_it = [&](const Entry& entry) { return entry.number == number; };
    for (const auto& [process, both] : processes_)
      for (const auto* entries : {&both.calls, &both.work})
        if (const auto at = std::find_if(entries->begin(), entries->end(), is_it);
            at != entries->end())
          return std::pair(process, at->correlation);
  }
  return std::nullopt;
}

std::vector<RowId> Links::rows() const {
  std::vector<RowId> rows;
  for (const Numbers& numbers : rows_) rows.push_back(numbers.row);
  return rows;
}

}  // namespace prof::timeline
