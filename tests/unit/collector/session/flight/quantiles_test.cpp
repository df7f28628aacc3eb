#include "collector/session/flight/quantiles.hpp"

#include <gtest/gtest.h>

namespace prof::session {
namespace {

TEST(Quantiles, AreAtMostAnEighthTooLong) {
  Quantiles quantiles;
  for (std::uint64_t i = 1; i <= 10'000; ++i) quantiles.add(i * 1000);
  for (const double each : {0.5, 0.9, 0.99}) {
    const double right = each * 1e7;
    EXPECT_GE(static_cast<double>(quantiles.value(each)), right - 1000);
    EXPECT_LE(static_cast<double>(quantiles.value(each)), right * 1.126);
  }
}

TEST(Quantiles, TakeAnyValueAndForget) {
  Quantiles quantiles;
  for (const std::uint64_t value :
       {std::uint64_t{0}, std::uint64_t{7}, std::uint64_t{8}, ~std::uint64_t{0}})
    quantiles.add(value);
  EXPECT_EQ(quantiles.value(0.25), 0U);
  EXPECT_EQ(quantiles.value(1), ~std::uint64_t{0});
  for (int i = 0; i < 1'000'000; ++i) quantiles.add(1 << 20);
  EXPECT_LE(quantiles.count(), 100'000U);
  EXPECT_NEAR(static_cast<double>(quantiles.value(0.001)), 1 << 20, 1 << 17);
}

}  // namespace
}  // namespace prof::session
