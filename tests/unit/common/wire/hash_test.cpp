#include "common/wire/hash.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace prof::wire {
namespace {

std::uint64_t hash(const std::string& text) { return hash_text(text.data(), text.size()); }

TEST(Hash, IsNeverZeroAndSameForSameText) {
  EXPECT_NE(hash(""), 0U);
  EXPECT_EQ(hash("forward"), hash(std::string("forward")));
}

TEST(Hash, DiffersByLengthAndTrailingZeros) {
  EXPECT_NE(hash("a"), hash(std::string("a\0", 2)));
  EXPECT_NE(hash("12345678"), hash("1234567"));
  EXPECT_NE(hash("1234567812345678"), hash("12345678"));
}

TEST(Hash, NearbyTextsDoNotCollide) {
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 200'000; ++i) seen.insert(hash("iteration " + std::to_string(i)));
  for (int i = 0; i < 2000; ++i) seen.insert(hash(std::string(static_cast<std::size_t>(i), 'x')));
  EXPECT_EQ(seen.size(), 202'000U);
}

TEST(Hash, SpreadsOverBuckets) {
  std::set<std::uint64_t> buckets;
  for (int i = 0; i < 256; ++i)
    buckets.insert(hash("layer." + std::to_string(i) + ".weight") % 2048);
  EXPECT_GT(buckets.size(), 220U);
}

TEST(Hash, CompileTimeEqualsRunTime) {
  constexpr std::uint64_t at_compile_time = hash_text("pthread_mutex_lock", 18);
  EXPECT_EQ(at_compile_time, hash("pthread_mutex_lock"));
}

}  // namespace
}  // namespace prof::wire
