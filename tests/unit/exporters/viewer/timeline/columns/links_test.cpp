#include "exporters/viewer/timeline/columns/links.hpp"

#include <gtest/gtest.h>

#include <tuple>

namespace prof::timeline {

namespace {

using Found = std::vector<std::pair<RowId, std::size_t>>;

Found places(const Links& links, std::int64_t process, Links::Side side, std::uint32_t id) {
  Found result;
  for (const auto& [row, index] : links.places(process, side, id)) result.emplace_back(row, index);
  return result;
}

class LinksTest : public ::testing::Test {
 protected:
  LinksTest() {
    links_.add(1, 10, Links::Side::kCall, {5, 0, 7, 6});
    links_.add(1, 20, Links::Side::kWork, {6, 5});
    links_.add(1, 21, Links::Side::kWork, {5, 9});
    links_.add(2, 11, Links::Side::kCall, {5});
    links_.finish();
  }
  Links links_;
};

TEST_F(LinksTest, BothSidesAreFoundByProcessAndCorrelation) {
  EXPECT_EQ(places(links_, 1, Links::Side::kCall, 5), (Found{{10, 0}}));
  EXPECT_EQ(places(links_, 1, Links::Side::kWork, 5), (Found{{20, 1}, {21, 0}}));
  EXPECT_EQ(places(links_, 2, Links::Side::kCall, 5), (Found{{11, 0}}));
  EXPECT_EQ(places(links_, 2, Links::Side::kWork, 5), Found());
  EXPECT_EQ(places(links_, 1, Links::Side::kCall, 0), Found());
  EXPECT_EQ(places(links_, 3, Links::Side::kCall, 5), Found());
}

TEST_F(LinksTest, AnEventLeadsToItsCorrelation) {
  EXPECT_EQ(links_.correlation({10, 2}), std::pair(std::int64_t{1}, 7U));
  EXPECT_EQ(links_.correlation({21, 1}), std::pair(std::int64_t{1}, 9U));
  EXPECT_EQ(links_.correlation({11, 0}), std::pair(std::int64_t{2}, 5U));
  EXPECT_FALSE(links_.correlation({10, 1}));
  EXPECT_FALSE(links_.correlation({10, 4}));
  EXPECT_FALSE(links_.correlation({99, 0}));
}

TEST_F(LinksTest, PairsAreCallsWithTheirWork) {
  std::vector<std::tuple<RowId, std::size_t, RowId, std::size_t>> pairs;
  links_.for_each_pair([&](std::int64_t, const Links::EventRef& call, const Links::EventRef& work) {
    pairs.emplace_back(call.row, call.index, work.row, work.index);
  });
  EXPECT_EQ(pairs, (decltype(pairs){{10, 0, 20, 1}, {10, 0, 21, 0}, {10, 3, 20, 0}}));
}

TEST(Links, ManyRunsInAnyOrder) {
  Links links;
  constexpr std::uint32_t kRows = 37;
  constexpr std::uint32_t kEvents = 1000;
  for (std::uint32_t row = 0; row < kRows; ++row) {
    std::vector<std::uint32_t> ids;
    for (std::uint32_t i = 0; i < kEvents; ++i) ids.push_back(1 + i * kRows + row);
    links.add(0, row + 1, Links::Side::kCall, ids);
  }
  links.finish();
  for (std::uint32_t id = 1; id <= kRows * kEvents; id += 13)
    EXPECT_EQ(places(links, 0, Links::Side::kCall, id),
              (Found{{(id - 1) % kRows + 1, (id - 1) / kRows}}));
}

}  // namespace

}  // namespace prof::timeline
