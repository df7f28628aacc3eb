// Matches the names of two reports.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "exporters/analysis/diff/categories.hpp"
#include "exporters/analysis/events/sums.hpp"

namespace prof::diff {

struct Change {
  const Category* category;
  std::string name;
  Total before;
  Total after;

  std::int64_t difference() const { return after.time - before.time; }  // ns
  // True if most of the time does not count as work of the program.
  bool is_aside() const { return aside() > 0 && aside() >= time() / 2; }
  // Returns by how much the work changed; for a name that is aside, by how much the whole time
  // changed. The result is at most the change of the whole time, because a thread may count as idle
  // in one report only.
  std::int64_t weight() const {
    const std::int64_t all = std::abs(difference());
    return is_aside() ? all : std::min(all, std::abs(after.work() - before.work()));
  }

 private:
  std::int64_t time() const { return events::sum(before.time, after.time); }
  std::int64_t aside() const { return events::sum(before.aside, after.aside); }
};

// True if most of the time consists of waits of idle threads.
bool is_waiting(const Change& change);

const char* status(const Change& change);  // "added", "removed", "changed", "unchanged", "waiting"

// Merges names that differ only in numbers, within a report or between the reports, into one name.
void merge_numbers(Totals& before, Totals& after);

// Appends every name that is in at least one of the two.
void join(const Category& category, const Totals& before, const Totals& after,
          std::vector<Change>& changes);

// Removes the names that are in both reports and whose time changed by less than `percent` of the
// larger time. Returns the number of removed names.
std::size_t remove_small(std::vector<Change>& changes, double percent);

// Sorts by weight, largest first. Names that are aside come after all others. Equal weights are
// sorted by category, then by name.
void sort_largest_first(std::vector<Change>& changes);

}  // namespace prof::diff
