#include "exporters/analysis/diff/spread.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

namespace prof::diff {
namespace {

constexpr Comparisons kOne{1};

// The same values with each standard library, unlike std::normal_distribution.
class Launches {
 public:
  explicit Launches(std::uint32_t seed) : random_(seed) {}
  std::vector<double> make(std::size_t number, double mean, double deviation) {
    std::vector<double> values;
    for (std::size_t i = 0; i < number; ++i) {
      const double radius = std::sqrt(-2 * std::log(uniform()));
      values.push_back(mean *
                       (1 + deviation * radius * std::cos(2 * std::numbers::pi * uniform())));
    }
    return values;
  }

 private:
  double uniform() { return (static_cast<double>(random_()) + 1) / 4294967297.0; }
  std::mt19937 random_;
};

TEST(Spread, TailsAreThoseOfTables) {
  EXPECT_NEAR(student_tail(12.706, 1), 0.05, 1e-5);
  EXPECT_NEAR(student_tail(4.303, 2), 0.05, 1e-5);
  EXPECT_NEAR(student_tail(2.776, 4), 0.05, 3e-5);
  EXPECT_NEAR(student_tail(2.571, 5), 0.05, 3e-5);
  EXPECT_NEAR(student_tail(3.922, 18), 0.001, 1e-5);
  EXPECT_EQ(student_tail(0, 7), 1);
  EXPECT_NEAR(student_tail(std::numeric_limits<double>::infinity(), 7), 0, 1e-12);
}

TEST(Spread, MedianOfAnEvenNumberIsBetween) {
  EXPECT_EQ(median_of(std::vector<double>{3, 1, 2}), 2);
  EXPECT_EQ(median_of(std::vector<double>{4, 1, 2, 8}), 3);
}

TEST(Spread, SmallDifferencesDoNotMatter) {
  const std::vector<double> same(10, 100);
  EXPECT_EQ(difference_of(same, same, kOne), Difference::kNone);
  EXPECT_EQ(difference_of(same, std::vector<double>(10, 102.9), kOne), Difference::kNone);
  EXPECT_EQ(difference_of(same, std::vector<double>(10, 103.1), kOne), Difference::kFound);
  const std::vector<double> low(10, 2);
  EXPECT_EQ(difference_of(low, std::vector<double>(10, 2.9), {1, true}), Difference::kNone);
  EXPECT_EQ(difference_of(low, std::vector<double>(10, 3.1), {1, true}), Difference::kFound);
}

TEST(Spread, OneLaunchDoesNotShowTheSpread) {
  const std::vector<double> one{100};
  EXPECT_EQ(difference_of(one, std::vector<double>{105}, kOne), Difference::kNone);
  EXPECT_EQ(difference_of(one, std::vector<double>{112}, kOne), Difference::kFound);
  const std::vector<double> varying{115, 130, 118, 125};
  EXPECT_EQ(difference_of(one, varying, {1000}), Difference::kUnclear);
}

TEST(Spread, NumbersThatAreTooLargeAreNotFound) {
  const std::vector<double> huge{1e308, -1e308, 1.5e308};
  const std::vector<double> small{1, 2, 3};
  EXPECT_NE(difference_of(huge, small, kOne), Difference::kFound);
  EXPECT_EQ(difference_of(std::vector<double>{0, 0}, std::vector<double>{0, 0}, kOne),
            Difference::kNone);
}

// 1,500 metrics of ten launches that differ by up to 3 %, in 40 repeats.
TEST(Spread, ARepeatHasNoFindings) {
  Launches launches(7);
  int found = 0;
  for (int repeat = 0; repeat < 40; ++repeat)
    for (int metric = 0; metric < 1500; ++metric) {
      const double deviation = 0.001 * (metric % 31);
      const auto before = launches.make(10, 100, deviation);
      const auto after = launches.make(10, 100, deviation);
      found += difference_of(before, after, {1500}) == Difference::kFound ? 1 : 0;
    }
  EXPECT_EQ(found, 0);
}

TEST(Spread, FivePercentAreFound) {
  Launches launches(8);
  int found = 0;
  for (int repeat = 0; repeat < 100; ++repeat) {
    const auto before = launches.make(10, 100, 0.01);
    const auto after = launches.make(10, 105, 0.01);
    found += difference_of(before, after, {15}) == Difference::kFound ? 1 : 0;
  }
  EXPECT_GE(found, 98);
}

}  // namespace
}  // namespace prof::diff
