// Medians that are one of the values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace prof::base {

// Returns the value at this place of the sorted values, and reorders them. 0 without values.
template <class T>
T value_at(std::vector<T>& values, std::size_t place) {
  if (values.empty()) return {};
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(place);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

// Return the median, and reorder the values. Of an even number of values it is the smaller or the
// larger one of the middle two. 0 without values.
template <class T>
T lower_median(std::vector<T>& values) {
  return value_at(values, values.empty() ? 0 : (values.size() - 1) / 2);
}
template <class T>
T upper_median(std::vector<T>& values) {
  return value_at(values, values.size() / 2);
}

}  // namespace prof::base
