// The names of two reports, matched.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "exporters/diff/categories.hpp"

namespace prof::diff {

struct Change {
  const Category* category;
  std::string name;
  Total before;
  Total after;

  std::int64_t difference() const { return after.time - before.time; }  // ns
};

const char* status(const Change& change);  // "added", "removed", "changed" or "unchanged"

// Appends every name that is in one of the two.
void join(const Category& category, const Totals& before, const Totals& after,
          std::vector<Change>& changes);

// Removes the names that are in both reports and whose time changed by less than `percent` of the
// larger time. Returns the number of removed names.
std::size_t remove_small(std::vector<Change>& changes, double percent);

// Sorts by absolute difference, then in the order of the categories, then by name.
void sort_largest_first(std::vector<Change>& changes);

}  // namespace prof::diff
