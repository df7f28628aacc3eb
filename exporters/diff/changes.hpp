// Names of two reports put side by side.
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

// Appends every name that either has.
void join(const Category& category, const Totals& before, const Totals& after,
          std::vector<Change>& changes);

// Removes names that both reports have and whose time changed by less than `percent` of the larger
// of its two totals. Returns how many.
std::size_t leave_out_small(std::vector<Change>& changes, double percent);

// By falling absolute difference; then as the categories are listed, and by name.
void largest_first(std::vector<Change>& changes);

}  // namespace prof::diff
