#include "exporters/ranks/picture/rank_picture.hpp"

#include <gtest/gtest.h>

namespace prof::ranks {
namespace {

using insight::Interval;

StateTimes times(std::vector<std::pair<RankState, Interval>> all) {
  StateTimes result;
  for (const auto& [state, time] : all) result[static_cast<std::size_t>(state)].push_back(time);
  return result;
}

unsigned share(const RankPicture& picture, RankState state, std::size_t bin) {
  return picture.shares[static_cast<std::size_t>(state)][bin];
}

std::int64_t time(const RankPicture& picture, RankState state) {
  return picture.times[static_cast<std::size_t>(state)];
}

RankPicture long_picture() {
  return picture_of({times({{RankState::kCompute, {-1000, 5'000'000}},
                            {RankState::kDataLoading, {5'000'000, 9'000'003}}})});
}

TEST(RankPictureTest, BinsHaveTheTimeOfEachState) {
  const RankPicture picture = picture_of({times({{RankState::kCompute, {100, 110}},
                                                 {RankState::kCopies, {110, 112}},
                                                 {RankState::kCpu, {112, 120}}})});
  ASSERT_EQ(picture.bins(), 20U);
  EXPECT_EQ(picture.begin, 100);
  EXPECT_EQ(picture.end, 120);
  EXPECT_EQ(share(picture, RankState::kCompute, 9), 255U);
  EXPECT_EQ(share(picture, RankState::kCompute, 10), 0U);
  EXPECT_EQ(share(picture, RankState::kCpu, 19), 255U);
  EXPECT_EQ(time(picture, RankState::kCompute), 10);
  EXPECT_EQ(time(picture, RankState::kCopies), 2);
}

TEST(RankPictureTest, LongTimesHaveWiderBins) {
  const RankPicture picture = long_picture();
  EXPECT_LE(picture.bins(), RankPicture::kMostBins);
  EXPECT_GT(picture.bins(), RankPicture::kMostBins / 2);
  EXPECT_EQ(time(picture, RankState::kCompute), 5'001'000);
  EXPECT_EQ(time(picture, RankState::kDataLoading), 4'000'003);
  for (std::size_t bin = 0; bin + 1 < picture.bins(); ++bin)
    EXPECT_GE(
        share(picture, RankState::kCompute, bin) + share(picture, RankState::kDataLoading, bin),
        255U);
}

TEST(RankPictureTest, SeveralGpusAreAveragedAndTheirTimesAddUp) {
  const RankPicture picture =
      picture_of({times({{RankState::kCompute, {0, 10}}}), times({{RankState::kLaunch, {0, 10}}})});
  EXPECT_EQ(share(picture, RankState::kCompute, 3), 128U);
  EXPECT_EQ(share(picture, RankState::kLaunch, 3), 128U);
  EXPECT_EQ(time(picture, RankState::kCompute), 10);
}

TEST(RankPictureTest, NothingHasNoBins) {
  EXPECT_EQ(picture_of({}).bins(), 0U);
  EXPECT_EQ(picture_of({StateTimes()}).bins(), 0U);
}

TEST(RankPictureTest, BytesAreReadAgain) {
  for (const RankPicture& picture : {long_picture(), picture_of({})}) {
    std::string bytes;
    append_picture(bytes, picture);
    EXPECT_LT(bytes.size(), 200U);
    std::string_view rest = bytes;
    const auto read = read_picture(rest);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, picture);
    EXPECT_TRUE(rest.empty());
  }
}

TEST(RankPictureTest, DamagedBytesAreRefused) {
  std::string bytes;
  append_picture(bytes, long_picture());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    std::string_view rest = std::string_view(bytes).substr(0, size);
    EXPECT_FALSE(read_picture(rest)) << size;
  }
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] = '\xff';
    std::string_view rest = changed;
    if (const auto read = read_picture(rest)) {
      EXPECT_LE(read->bins(), RankPicture::kMostBins);
      for (const auto& shares : read->shares) EXPECT_EQ(shares.size(), read->bins());
    }
  }
}

}  // namespace
}  // namespace prof::ranks
