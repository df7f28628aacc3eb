#include "exporters/ranks/messages/message_matching.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace prof::ranks {
namespace {

using Pairs = std::vector<MatchedMessage>;

// A message of a duration of 5 ns.
Message at(std::int64_t time, std::int64_t bytes = 8) {
  return {time, time, time + 5, bytes, 1, 1};
}

std::vector<Message> every_100(std::int64_t first, int count) {
  std::vector<Message> result;
  for (int i = 0; i < count; ++i) result.push_back(at(first + 100 * i));
  return result;
}

Pairs shifted(std::uint32_t sent, std::uint32_t received, std::uint32_t count) {
  Pairs result;
  for (std::uint32_t i = 0; i < count; ++i) result.push_back({sent + i, received + i});
  return result;
}

TEST(MessageMatching, MessagesDoNotOvertakeEachOther) {
  EXPECT_EQ(match_messages(every_100(0, 4), every_100(3, 4), 0), shifted(0, 0, 4));
  EXPECT_EQ(match_messages(every_100(0, 4), every_100(3, 4), {}), shifted(0, 0, 4));
  EXPECT_TRUE(match_messages({}, every_100(3, 4), 0).empty());
}

TEST(MessageMatching, AReceiverThatBeganToRecordLaterHasTheLastOnes) {
  EXPECT_EQ(match_messages(every_100(0, 9), every_100(303, 6), 0), shifted(3, 0, 6));
  // A receipt cannot end before the message was sent.
  EXPECT_EQ(match_messages(every_100(200, 4), every_100(3, 6), 0), shifted(0, 2, 4));
}

TEST(MessageMatching, AReceiptMayEndBeforeTheSendByTheErrorOfTheClocks) {
  EXPECT_EQ(match_messages(every_100(40, 9), every_100(303, 6), 50), shifted(3, 0, 6));
  EXPECT_TRUE(match_messages({at(100)}, {at(10), at(20)}, 50).empty());
}

TEST(MessageMatching, WithoutACommonClockSizesMustSayWhichIsWhich) {
  EXPECT_TRUE(match_messages(every_100(0, 5), every_100(0, 4), {}).empty());
  const std::vector<Message> sent{at(0, 1), at(100, 20), at(200, 3), at(300, 40)};
  const std::vector<Message> received{at(7, 20), at(8, 3), at(9, 40)};
  EXPECT_EQ(match_messages(sent, received, {}), shifted(1, 0, 3));
}

TEST(MessageMatching, ASenderThatIsAheadIsMatchedFromTheFirstOrToTheLastMessage) {
  // All are sent before the first one is received.
  std::vector<Message> sent = every_100(0, 5);
  EXPECT_EQ(match_messages(sent, every_100(1000, 5), 0), shifted(0, 0, 5));
  sent[0].bytes = 100;  // does not fit: the receiver began to record later
  EXPECT_EQ(match_messages(sent, every_100(1000, 4), 0), shifted(1, 0, 4));
  sent = every_100(0, 5);
  sent[4].bytes = 100;  // the receiver ended earlier
  EXPECT_EQ(match_messages(sent, every_100(1000, 4), 0), shifted(0, 0, 4));
}

TEST(MessageMatching, BothSidesMayMissMessages) {
  const std::vector<Message> sent{at(0, 1), at(100, 2), at(200, 30)};
  const std::vector<Message> received{at(103, 2), at(203, 30), at(303, 4), at(403, 5)};
  EXPECT_EQ(match_messages(sent, received, 0), shifted(1, 0, 2));
}

TEST(MessageMatching, NothingIsGuessedIfMessagesAreMissingInBetween) {
  EXPECT_TRUE(match_messages(every_100(0, 5), every_100(3, 4), 0, false).empty());
  EXPECT_EQ(match_messages(every_100(0, 4), every_100(3, 4), 0, false).size(), 4U);
}

}  // namespace
}  // namespace prof::ranks
