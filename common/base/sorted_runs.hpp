// Sorts what is nearly in order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

namespace prof::base {

// Sorts a list that consists of few sorted runs, such as the calls of a few threads one after the
// other: neighbours are merged until one run is left. Equal elements keep their order.
template <class T, class IsBefore = std::less<>>
void sort_runs(std::vector<T>& all, const IsBefore& is_before = {}) {
  std::vector<std::ptrdiff_t> runs{0};
  for (auto at = all.begin(); at != all.end();) {
    at = std::is_sorted_until(at, all.end(), is_before);
    runs.push_back(at - all.begin());
  }
  if (runs.size() > all.size() / 8 + 2) {
    std::stable_sort(all.begin(), all.end(), is_before);
    return;
  }
  while (runs.size() > 2) {
    std::vector<std::ptrdiff_t> fewer{0};
    for (std::size_t i = 2; i < runs.size(); i += 2) {
      std::inplace_merge(all.begin() + runs[i - 2], all.begin() + runs[i - 1],
                         all.begin() + runs[i], is_before);
      fewer.push_back(runs[i]);
    }
    if (runs.size() % 2 == 0) fewer.push_back(runs.back());
    runs = std::move(fewer);
  }
}

}  // namespace prof::base
