// The names of two reports, matched.
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
  // Does most of its time not count as work of the program?
  bool is_aside() const { return aside() > 0 && aside() >= time() / 2; }
  // By how much the work changed, if the name is not aside. Not more than the whole time changed: a
  // thread may count as idle in one report only.
  std::int64_t weight() const {
    const std::int64_t all = std::abs(difference());
    return is_aside() ? all : std::min(all, std::abs(after.work() - before.work()));
  }

 private:
  std::int64_t time() const { return events::sum(before.time, after.time); }
  std::int64_t aside() const { return events::sum(before.aside, after.aside); }
};

// Most of its time are waits of idle threads.
bool is_waiting(const Change& change);

const char* status(const Change& change);  // "added", "removed", "changed", "unchanged", "waiting"

// Gives names that differ only in numbers, in either of the two, one name.
void merge_numbers(Totals& before, Totals& after);

// Appends every name that is in one of the two.
void join(const Category& category, const Totals& before, const Totals& after,
          std::vector<Change>& changes);

// Removes the names that are in both reports and whose time changed by less than `percent` of the
// larger time. Returns the number of removed names.
std::size_t remove_small(std::vector<Change>& changes, double percent);

// Sorts by weight, largest first, those aside after all others, then in the order of the
// categories, then by name.
void sort_largest_first(std::vector<Change>& changes);

}  // namespace prof::diff
