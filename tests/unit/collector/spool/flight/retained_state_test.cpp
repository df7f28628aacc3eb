#include "collector/spool/flight/retained_state.hpp"

#include <gtest/gtest.h>

#include <set>

#include "collector/spool/decoder.hpp"
#include "tests/unit/record_bytes.hpp"
#include "tests/unit/temporary_directory.hpp"

namespace prof::spool {
namespace {

using test::RecordBytes;

class CarryTest : public ::testing::Test {
 protected:
  // A segment with what `write` writes.
  Spool segment(const std::function<void(SpoolWriter&)>& write) {
    const std::string path = folder_.file("segment." + std::to_string(++number_));
    {
      auto writer = SpoolWriter::create(path);
      write(*writer);
    }
    return *Spool::open(path);
  }
  Spool written(const RetainedState& retained) {
    return segment([&](SpoolWriter& to) { EXPECT_TRUE(retained.write(to)); });
  }

  test::TemporaryDirectory folder_;
  int number_ = 0;
};

struct Texts {
  std::set<std::string> found;
  void operator()(const wire::StringRecord&, std::string_view text) { found.emplace(text); }
};

Texts texts_in(const Spool& spool) {
  Texts texts;
  for (const Piece& piece : spool.pieces) decode(piece.bytes, texts);
  return texts;
}

TEST_F(CarryTest, KeepsEachProcessUntilItAndItsChildrenHaveEnded) {
  RetainedState retained(1 << 20);
  retained.fold(segment([](SpoolWriter& to) {
    ASSERT_TRUE(to.note(SessionNote{.version = "1"}));
    for (const std::uint32_t serial : {16U, 17U, 18U})
      ASSERT_TRUE(to.note(ProcessNote{.serial = serial, .parent_serial = serial == 17 ? 16U : 0U}));
    ASSERT_TRUE(to.note(ProcessEndNote{.serial = 16}));
    ASSERT_TRUE(to.note(ProcessEndNote{.serial = 18, .goes_on = true}));
  }));
  const auto serials = [](const Spool& spool) {
    std::vector<std::uint32_t> found;
    for (const ProcessNote& note : spool.notes.all<ProcessNote>()) found.push_back(note.serial);
    return found;
  };
  EXPECT_EQ(serials(written(retained)), (std::vector<std::uint32_t>{16, 17}));
  retained.fold(
      segment([](SpoolWriter& to) { ASSERT_TRUE(to.note(ProcessEndNote{.serial = 17})); }));
  EXPECT_TRUE(serials(written(retained)).empty());
  EXPECT_EQ(written(retained).notes.session().version, "1");
}

TEST_F(CarryTest, KeepsTheLastReadingOfTheClocks) {
  RetainedState retained(1 << 20);
  for (const std::int64_t raw : {1, 2})
    retained.fold(segment([&](SpoolWriter& to) { ASSERT_TRUE(to.note(ClockNote{.raw = raw})); }));
  const auto kept = written(retained).notes.all<ClockNote>();
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(kept[0].raw, 2);
}

TEST_F(CarryTest, KeepsOnlyTheLastTwoGenerationsOfNodes) {
  RetainedState retained(1 << 20);
  const StackNode node{};
  const auto fold_nodes = [&](std::uint32_t first, std::uint32_t flags) {
    retained.fold(segment([&](SpoolWriter& to) {
      ASSERT_TRUE(to.stack_nodes({first, flags}, std::as_bytes(std::span(&node, 1))));
    }));
  };
  fold_nodes(1, 0);
  fold_nodes(2, kNewGeneration);
  fold_nodes(3, 0);
  EXPECT_EQ(written(retained).stack_pieces.size(), 3U);
  fold_nodes(4, kNewGeneration);
  const Spool spool = written(retained);
  ASSERT_EQ(spool.stack_pieces.size(), 3U);
  EXPECT_EQ(spool.stack_pieces.front().header.first, 2U);
}

TEST_F(CarryTest, ForgetsNamesThatNothingUses) {
  constexpr std::size_t kMaximum = 64 << 10;
  RetainedState retained(kMaximum);
  RecordBytes often;  // a name from the begin, which is used again and again
  const std::uint64_t hash = often.text("request");
  for (int i = 0; i < 100; ++i) often.push(1, hash).pop(2);
  retained.fold(segment([&](SpoolWriter& to) {
    ASSERT_TRUE(to.records({16, 7, 1, 0, 0}, often.bytes()));
  }));
  RecordBytes many;
  std::uint64_t used = 0;
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t name = many.text("name " + std::to_string(i));
    if (i == 500) used = name;
  }
  retained.fold(segment([&](SpoolWriter& to) {
    ASSERT_TRUE(to.records({16, 7, 2, 0, 0}, many.bytes()));
  }));
  ASSERT_TRUE(retained.is_large());
  const RecordBytes kept = RecordBytes().push(5, used);
  retained.shrink([&](const RetainedState::Visit& visit) { visit(kept.bytes()); },
                  [](pid_t, std::uint32_t) { return false; });
  EXPECT_FALSE(retained.is_large());
  EXPECT_GT(retained.forgotten(), 1000U);
  const auto found = texts_in(written(retained)).found;
  EXPECT_TRUE(found.contains("request"));
  EXPECT_TRUE(found.contains("name 500"));
  EXPECT_TRUE(found.contains("name 1999"));  // the newest are forgotten last
  EXPECT_FALSE(found.contains("name 1"));
}

}  // namespace
}  // namespace prof::spool
