#include "collector/sampler/node_index.hpp"

#include <gtest/gtest.h>

namespace prof::sampler {
namespace {

using spool::StackNode;

StackNode node(std::uint32_t caller, std::uint64_t address) {
  return {caller, 2, address, address - 0x1000, 6, 0, 0, 0};
}

TEST(NodeIndex, NumbersNodesInOrder) {
  NodeIndex index;
  EXPECT_EQ(index.number_of(node(0, 0x5000)), 1U);
  EXPECT_EQ(index.number_of(node(1, 0x5000)), 2U);
  EXPECT_EQ(index.number_of(node(0, 0x5000)), 1U);
  EXPECT_EQ(index.next_number(), 3U);
  ASSERT_EQ(index.from(2).size(), 1U);
  EXPECT_EQ(index.from(2)[0].caller, 1U);
  EXPECT_TRUE(index.from(3).empty());
}

TEST(NodeIndex, FindsNodesAmongMany) {
  constexpr std::uint32_t kNodes = 100'000;
  NodeIndex index;
  for (int round = 0; round < 2; ++round)
    for (std::uint32_t i = 0; i < kNodes; ++i)
      ASSERT_EQ(index.number_of(node(i / 7, 0x400000 + i % 1000 * 16)), i + 1);
  EXPECT_EQ(index.size(), kNodes);
}

TEST(NodeIndex, NumbersAreNotUsedTwice) {
  NodeIndex index;
  index.number_of(node(0, 0x5000));
  index.number_of(node(1, 0x6000));
  index.forget();
  EXPECT_EQ(index.size(), 0U);
  EXPECT_EQ(index.number_of(node(1, 0x6000)), 3U);
  EXPECT_EQ(index.from(3)[0].address, 0x6000U);
}

}  // namespace
}  // namespace prof::sampler
