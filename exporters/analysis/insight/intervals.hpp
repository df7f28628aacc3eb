// Intervals of time, and set operations on them.
#pragma once

#include <cstdint>
#include <vector>

namespace prof::insight {

struct Interval {
  std::int64_t start = 0;  // ns
  std::int64_t end = 0;

  std::int64_t length() const { return end - start; }
  bool operator==(const Interval&) const = default;
};

// A list of intervals that are sorted, disjoint and not empty. The functions below take and return
// such lists.
using Intervals = std::vector<Interval>;

Intervals merged(std::vector<Interval> any);     // the union of any intervals
std::int64_t total(const Intervals& intervals);  // ns

Intervals intersection(const Intervals& a, const Intervals& b);
Intervals difference(const Intervals& a,
                     const Intervals& b);  // the times that are in a, but not in b

// Returns the parts that lie within `time`.
Intervals within(const Intervals& intervals, const Interval& time);

// Returns the times in which two or more of the intervals overlap.
Intervals overlaps(std::vector<Interval> any);

// Returns how much of [start, end) the intervals cover, in ns.
std::int64_t covered(const Intervals& intervals, std::int64_t start, std::int64_t end);

}  // namespace prof::insight
