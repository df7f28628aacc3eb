#include "common/base/sorted_runs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

namespace prof::base {
namespace {

using Pair = std::pair<int, int>;  // what is compared, and the place before

std::vector<Pair> made_of_runs(std::mt19937& random, std::size_t runs, std::size_t length) {
  std::vector<Pair> all;
  for (std::size_t run = 0; run < runs; ++run) {
    std::vector<int> values(random() % (length + 1));
    for (int& each : values) each = static_cast<int>(random() % 50);
    std::ranges::sort(values);
    for (const int each : values) all.emplace_back(each, static_cast<int>(all.size()));
  }
  return all;
}

TEST(SortedRuns, AreMergedLikeAStableSort) {
  std::mt19937 random(1);  // NOLINT: the same numbers in each run
  const auto is_before = [](const Pair& a, const Pair& b) { return a.first < b.first; };
  for (const auto& [runs, length] : {Pair{0, 0}, {1, 1}, {1, 100}, {2, 50}, {7, 300}, {500, 2}})
    for (int attempt = 0; attempt < 20; ++attempt) {
      std::vector<Pair> all =
          made_of_runs(random, static_cast<std::size_t>(runs), static_cast<std::size_t>(length));
      std::vector<Pair> expected = all;
      std::ranges::stable_sort(expected, is_before);
      sort_runs(all, is_before);
      EXPECT_EQ(all, expected);
    }
}

TEST(SortedRuns, AreSortedBySizeIfNothingElseIsSaid) {
  std::vector<int> all{3, 5, 1, 4, 2};
  sort_runs(all);
  EXPECT_EQ(all, (std::vector<int>{1, 2, 3, 4, 5}));
}

}  // namespace
}  // namespace prof::base
