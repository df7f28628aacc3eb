// Decides if values that vary from launch to launch differ between two reports.
#pragma once

#include <cstddef>
#include <span>

namespace prof::diff {

enum class Difference {
  kNone,     // too small to matter
  kUnclear,  // large enough to matter, but the launches vary too much to say
  kFound,
};

struct Comparisons {
  std::size_t number;          // how many metrics are compared: the more, the stricter
  bool is_percentage = false;  // the values are percentages: a point is the least that counts
};

// Neither list may be empty. The values must be finite.
Difference difference_of(std::span<const double> before, std::span<const double> after,
                         const Comparisons& comparisons);

double median_of(std::span<const double> values);

// Returns the probability that Student's t is at least `t` away from 0. `freedom` is at least 1.
double student_tail(double t, std::size_t freedom);

}  // namespace prof::diff
