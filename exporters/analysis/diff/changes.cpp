#include "exporters/analysis/diff/changes.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <tuple>
#include <utility>

#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/numbered_names.hpp"

namespace prof::diff {

namespace {

bool is_small(const Change& change, double percent) {
  if (change.before.count == 0 || change.after.count == 0) return false;
  const auto larger = static_cast<double>(std::max(change.before.time, change.after.time));
  const auto difference = static_cast<double>(std::abs(change.difference()));
  // If both times are 0 ns, the change is 0 %.
  return percent > 0 && (larger == 0 || difference < larger * percent / 100);
}

}  // namespace

bool is_waiting(const Change& change) {
  return change.is_aside() && std::string_view(change.category->table) == events::kOsrtTable;
}

const char* status(const Change& change) {
  if (is_waiting(change)) return "waiting";
  if (change.before.count == 0) return "added";
  if (change.after.count == 0) return "removed";
  const bool same =
      change.before.time == change.after.time && change.before.count == change.after.count;
  return same ? "unchanged" : "changed";
}

void merge_numbers(Totals& before, Totals& after) {
  events::NumberedNames numbered;
  for (const Totals* totals : {&before, &after})
    for (const auto& [name, total] : *totals) numbered.group(name);
  for (Totals* totals : {&before, &after}) {
    Totals merged;
    for (const auto& [name, total] : *totals)
      add(merged, numbered.text(numbered.group(name)), total);
    *totals = std::move(merged);
  }
}

void join(const Category& category, const Totals& before, const Totals& after,
          std::vector<Change>& changes) {
  for (const auto& [name, total] : before) {
    const auto same = after.find(name);
    changes.push_back({&category, name, total, same == after.end() ? Total{} : same->second});
  }
  for (const auto& [name, total] : after)
    if (!before.contains(name)) changes.push_back({&category, name, {}, total});
}

std::size_t remove_small(std::vector<Change>& changes, double percent) {
  return std::erase_if(changes, [&](const Change& change) { return is_small(change, percent); });
}

void sort_largest_first(std::vector<Change>& changes) {
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
    const auto rank = [](const Change& change) {
      return std::tuple(change.is_aside(), -change.weight(), change.category,
                        std::string_view(change.name));
    };
    return rank(a) < rank(b);
  });
}

}  // namespace prof::diff
