#include "exporters/viewer/run/similarity.hpp"

#include <gtest/gtest.h>

#include <random>

namespace prof::view {
namespace {

TEST(SimilarityTest, SimilarRowsAreTogetherAndUnusualOnesFirst) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> noise(0, 0.002F);
  constexpr std::size_t kRows = 300;
  constexpr std::size_t kValues = 64;
  const auto kind_of = [](std::size_t row) { return row == 123 ? 2 : row % 3 == 1 ? 1 : 0; };
  std::vector<std::vector<float>> rows;
  for (std::size_t row = 0; row < kRows; ++row) {
    auto& values = rows.emplace_back();
    for (std::size_t i = 0; i < kValues; ++i) {
      const float share = kind_of(row) == 2   ? (i < 20 ? 1.0F : 0.0F)
                          : kind_of(row) == 1 ? 0.4F
                                              : 0.6F;
      values.push_back(share + noise(random));
    }
  }
  std::vector<std::size_t> expected = {123};
  for (const int kind : {1, 0})
    for (std::size_t row = 0; row < kRows; ++row)
      if (kind_of(row) == kind) expected.push_back(row);
  EXPECT_EQ(order_of_similar(rows), expected);
}

TEST(SimilarityTest, EqualRowsKeepTheirOrder) {
  EXPECT_TRUE(order_of_similar({}).empty());
  const std::vector<float> row(10, 0.5F);
  EXPECT_EQ(order_of_similar({row, row, row, row}), (std::vector<std::size_t>{0, 1, 2, 3}));
  EXPECT_EQ(order_of_similar({{}, {}, {}}), (std::vector<std::size_t>{0, 1, 2}));
}

}  // namespace
}  // namespace prof::view
