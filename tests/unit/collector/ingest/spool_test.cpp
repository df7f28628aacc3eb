#include "collector/ingest/spool.hpp"

#include <gtest/gtest.h>

#include "tests/unit/temporary_directory.hpp"

namespace prof::ingest {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

class SpoolTest : public ::testing::Test {
 protected:
  std::string write_one() {
    auto writer = *SpoolWriter::create(directory_.file("s"));
    EXPECT_TRUE(writer.note({{"type", "session"}}));
    EXPECT_TRUE(writer.clock({1, 2, 3}));
    EXPECT_TRUE(writer.records({16, 7, 99, 8, 0}, bytes_of("12345678")));
    EXPECT_TRUE(writer.kernel_records(3, bytes_of("0123456789abcdef01234567")));
    EXPECT_TRUE(writer.note({{"type", "end"}, {"text", "\xff broken"}}));
    return directory_.file("s");
  }
  test::TemporaryDirectory directory_;
};

TEST_F(SpoolTest, ReturnsWhatWasWritten) {
  const auto spool = Spool::open(write_one());
  ASSERT_TRUE(spool);
  ASSERT_EQ(spool->notes.size(), 2U);
  EXPECT_EQ(spool->notes[0]["type"], "session");
  ASSERT_EQ(spool->clocks.size(), 1U);
  EXPECT_EQ(spool->clocks[0].realtime, 3);
  ASSERT_EQ(spool->pieces.size(), 1U);
  EXPECT_EQ(spool->pieces[0].header.claimed, 99U);
  EXPECT_EQ(spool->pieces[0].bytes.size(), 8U);
  EXPECT_EQ(spool->record_bytes, 8U);
  ASSERT_EQ(spool->kernel_pieces.size(), 1U);
  EXPECT_EQ(spool->kernel_pieces[0].header.cpu, 3U);
  EXPECT_EQ(spool->kernel_pieces[0].bytes.size(), 24U);
  EXPECT_EQ(spool->ignored_bytes, 0U);
}

TEST_F(SpoolTest, KeepsTheWholeBlocksOfATornFile) {
  const std::string whole = test::read_file(write_one());
  for (std::size_t length = 8; length < whole.size(); ++length) {
    const auto spool = Spool::parse(bytes_of(whole).first(length));
    ASSERT_TRUE(spool) << length;
    EXPECT_LT(spool->notes.size(), 2U);
  }
}

TEST_F(SpoolTest, RefusesOtherFiles) {
  EXPECT_FALSE(Spool::open(directory_.write("x", "")));
  EXPECT_FALSE(Spool::open(directory_.write("x", "SQLite format 3")));
  EXPECT_FALSE(Spool::open(directory_.file("missing")));
}

TEST_F(SpoolTest, StopsAtABlockThatClaimsTooMuch) {
  std::string content = test::read_file(write_one());
  for (int i = 0; i < 8; ++i) content[8 + 8 + i] = '\xff';  // bytes of the first block
  const auto spool = Spool::parse(bytes_of(content));
  ASSERT_TRUE(spool);
  EXPECT_TRUE(spool->notes.empty());
  EXPECT_EQ(spool->ignored_bytes, content.size() - 8);
}

TEST_F(SpoolTest, DoesNotOverwrite) {
  write_one();
  EXPECT_FALSE(SpoolWriter::create(directory_.file("s")));
}

TEST_F(SpoolTest, AFullDiskLeavesWholeBlocks) {
  auto writer = SpoolWriter::create("/dev/full");
  EXPECT_FALSE(writer);  // exists already, whatever it is
  const auto missing = SpoolWriter::create(directory_.file("no/such/s"));
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("No such file"), std::string::npos);
}

}  // namespace
}  // namespace prof::ingest
