#include "collector/spool/decoder.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/unit/record_bytes.hpp"

namespace prof::spool {
namespace {

using test::RecordBytes;

struct Everything {
  int pushes = 0;
  int pops = 0;
  std::vector<std::string> texts;
  void operator()(const wire::NvtxPushRecord&) { ++pushes; }
  void operator()(const wire::NvtxPopRecord&) { ++pops; }
  void operator()(const wire::StringRecord&, std::string_view text) { texts.emplace_back(text); }
};

TEST(Decoder, VisitsRecordsInOrder) {
  RecordBytes bytes;
  bytes.push(1, bytes.text("hello")).pop(2);
  bytes.text("");
  Everything seen;
  const DecodeStats stats = decode(bytes.bytes(), seen);
  EXPECT_EQ(seen.pushes, 1);
  EXPECT_EQ(seen.pops, 1);
  EXPECT_EQ(seen.texts, (std::vector<std::string>{"hello", ""}));
  EXPECT_EQ(stats.records, 4U);
  EXPECT_EQ(stats.corrupt_bytes, 0U);
}

TEST(Decoder, SkipsUnknownTypesBySize) {
  RecordBytes bytes;
  bytes.pop(1);
  bytes.add(wire::NvtxPopRecord{{16, static_cast<wire::RecordType>(200), 0, 0}, 0});
  bytes.pop(2);
  Everything seen;
  const DecodeStats stats = decode(bytes.bytes(), seen);
  EXPECT_EQ(seen.pops, 2);
  EXPECT_EQ(stats.unknown, 1U);
}

TEST(Decoder, ReadsLongerRecordsOfALaterVersion) {
  RecordBytes bytes;
  wire::NvtxPopRecord longer{{24, wire::RecordType::kNvtxPop, 0, 0}, 5};
  bytes.add(longer).add(std::uint64_t{0});
  bytes.pop(6);
  Everything seen;
  EXPECT_EQ(decode(bytes.bytes(), seen).corrupt_bytes, 0U);
  EXPECT_EQ(seen.pops, 2);
}

TEST(Decoder, StopsAtSenselessHeaders) {
  for (const std::uint16_t size : {0, 4, 7, 9, 12, 65528}) {
    RecordBytes bytes;
    bytes.pop(1);
    bytes.add(wire::NvtxPopRecord{{size, wire::RecordType::kNvtxPop, 0, 0}, 0});
    bytes.pop(2);
    Everything seen;
    const DecodeStats stats = decode(bytes.bytes(), seen);
    EXPECT_EQ(seen.pops, 1) << size;
    EXPECT_EQ(stats.corrupt_bytes, 32U) << size;
  }
}

TEST(Decoder, RecordTooShortForItsTypeIsCorrupt) {
  RecordBytes bytes;
  bytes.add(wire::NvtxPopRecord{{16, wire::RecordType::kCall, 0, 0}, 0});
  EXPECT_EQ(decode(bytes.bytes(), Everything{}).corrupt_bytes, 16U);
}

TEST(Decoder, TextLongerThanItsRecordIsCorrupt) {
  RecordBytes bytes;
  bytes.add(wire::StringRecord{{16, wire::RecordType::kString, 0, 1}, 5});
  Everything seen;
  EXPECT_EQ(decode(bytes.bytes(), seen).corrupt_bytes, 16U);
  EXPECT_TRUE(seen.texts.empty());
}

TEST(Decoder, TornTailIsCounted) {
  RecordBytes bytes;
  bytes.pop(1).pop(2);
  Everything seen;
  EXPECT_EQ(decode(bytes.bytes().first(20), seen).corrupt_bytes, 4U);
  EXPECT_EQ(decode(bytes.bytes().first(28), seen).corrupt_bytes, 12U);
}

TEST(Decoder, SurvivesNoise) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::byte> noise(random() % 200);
    for (auto& byte : noise) byte = static_cast<std::byte>(random() % (round % 2 ? 256 : 20));
    Everything seen;
    const DecodeStats stats = decode(std::span<const std::byte>(noise), seen);
    EXPECT_LE(stats.corrupt_bytes, noise.size());
  }
}

}  // namespace
}  // namespace prof::spool
