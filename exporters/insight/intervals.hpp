// Stretches of time and what they cover together.
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

// Ordered, apart from each other, none empty: what the functions below take and give.
using Intervals = std::vector<Interval>;

Intervals merged(std::vector<Interval> any);
std::int64_t total(const Intervals& intervals);  // ns

Intervals intersection(const Intervals& a, const Intervals& b);
Intervals difference(const Intervals& a, const Intervals& b);  // what is in a and not in b

// Where two or more of them are at once.
Intervals overlaps(std::vector<Interval> any);

// How much of [start, end) they cover.
std::int64_t covered(const Intervals& intervals, std::int64_t start, std::int64_t end);

}  // namespace prof::insight
