#include "collector/metrics/metric_buffer.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

namespace prof::metrics {
namespace {

TEST(MetricBufferTest, KeepsWhatWasAddedUntilItIsTaken) {
  MetricBuffer buffer;
  const std::uint32_t first = buffer.define({.name = "a", .counters = {{"x"}}});
  const std::uint32_t second = buffer.define({.name = "b", .counters = {{"x"}, {"y"}}});
  EXPECT_NE(first, second);
  buffer.add(first, 10, {1});
  buffer.add(second, 11, {2, 3.5});
  buffer.add(first, 12, {-4});
  buffer.remark(spool::Severity::kWarning, "Something.");
  const auto content = buffer.take();
  ASSERT_EQ(content.groups.size(), 2U);
  EXPECT_EQ(content.groups[1].id, second);
  EXPECT_EQ(content.groups[0].pid, getpid());
  ASSERT_EQ(content.pieces.size(), 2U);
  EXPECT_EQ(content.pieces[0].header.source, first);
  EXPECT_EQ(content.pieces[0].bytes.size(), 2 * (16U + 8U));
  EXPECT_EQ(content.pieces[1].header.values, 2U);
  EXPECT_EQ(content.pieces[1].bytes.size(), 16U + 2 * 8U);
  ASSERT_EQ(content.remarks.size(), 1U);
  EXPECT_EQ(content.remarks[0].text, "Something.");
  EXPECT_TRUE(buffer.take().pieces.empty());
}

TEST(MetricBufferTest, ValuesKeepTheirBits) {
  EXPECT_EQ(spool::MetricValue(-1).bits, ~std::uint64_t{0});
  EXPECT_EQ(spool::MetricValue(7U).bits, 7U);
  EXPECT_EQ(spool::MetricValue(0.5).bits, std::uint64_t{0x3fe0000000000000});
}

}  // namespace
}  // namespace prof::metrics
