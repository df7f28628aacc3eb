#include "exporters/viewer/timeline/columns/id_map.hpp"

#include <gtest/gtest.h>

namespace prof::timeline {

namespace {

TEST(IdMap, IdsAreRowidsThatFit) {
  IdMap map({1, 0xffffffff}, 2);
  EXPECT_EQ(map.id(7, 0), 7U);
  EXPECT_EQ(map.rowid(0xffffffff), 0xffffffff);
  EXPECT_EQ(map.find(9), 9U);
  EXPECT_FALSE(map.find(-1));
  EXPECT_FALSE(map.find(std::int64_t{1} << 32));
}

TEST(IdMap, LargeRowidsCountFromTheFirst) {
  constexpr std::int64_t kFirst = std::int64_t{1} << 40;
  IdMap map({kFirst, kFirst + 100}, 1);
  EXPECT_EQ(map.id(kFirst + 7, 0), 7U);
  EXPECT_EQ(map.rowid(7), kFirst + 7);
  EXPECT_EQ(map.find(kFirst + 7), 7U);
  EXPECT_FALSE(map.find(7));
}

TEST(IdMap, RowidsFarFromEachOtherAreNumbered) {
  IdMap map({INT64_MIN, INT64_MAX}, 2);
  const std::uint32_t a = map.id(INT64_MIN, 0);
  const std::uint32_t b = map.id(3, 0);
  const std::uint32_t c = map.id(INT64_MAX, 1);
  EXPECT_NE(a, c);
  EXPECT_NE(a, b);
  EXPECT_EQ(map.rowid(a), INT64_MIN);
  EXPECT_EQ(map.rowid(b), 3);
  EXPECT_EQ(map.rowid(c), INT64_MAX);
  EXPECT_EQ(map.find(INT64_MAX), c);
  EXPECT_FALSE(map.find(4));
}

TEST(IdMap, CopiesHaveFurtherIds) {
  for (const RowRange rows : {RowRange{1, 100}, RowRange{INT64_MIN, INT64_MAX}}) {
    IdMap map(rows, 1);
    const std::uint32_t id = map.id(7, 0);
    const std::uint32_t copy = map.copy_of(7);
    const std::uint32_t other = map.copy_of(7);
    EXPECT_NE(copy, id);
    EXPECT_NE(other, id);
    EXPECT_NE(other, copy);
    for (const std::uint32_t each : {id, copy, other}) EXPECT_EQ(map.rowid(each), 7);
    EXPECT_EQ(map.find(7), id);
  }
}

TEST(RowRange, SizeDoesNotOverflow) {
  EXPECT_EQ((RowRange{1, 10}.size()), 10);
  EXPECT_EQ((RowRange{}.size()), 0);
  EXPECT_EQ((RowRange{INT64_MIN, INT64_MAX}.size()), INT64_MAX);
}

}  // namespace

}  // namespace prof::timeline
