#include "collector/spool/spool.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include <filesystem>
#include <limits>

#include "collector/spool/blocks.hpp"
#include "tests/unit/temporary_directory.hpp"

namespace prof::spool {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

class SpoolTest : public ::testing::Test {
 protected:
  std::string write_one() {
    auto writer = *SpoolWriter::create(directory_.file("s"));
    EXPECT_TRUE(writer.note(SessionNote{}));
    first_block_bytes_ = writer.bytes() - sizeof kSpoolMagic;
    EXPECT_TRUE(writer.clock({1, 2, 3}));
    EXPECT_TRUE(writer.records({16, 7, 99, 8, 0}, bytes_of("12345678")));
    EXPECT_TRUE(writer.kernel_records({3, KernelSource::kSystemCalls},
                                      bytes_of("0123456789abcdef01234567")));
    EXPECT_TRUE(writer.metric_samples({5, 2}, bytes_of("samples")));
    EXPECT_TRUE(writer.note(StreamNote{7, "f", "\xff broken"}));
    return directory_.file("s");
  }
  test::TemporaryDirectory directory_;
  std::uint64_t first_block_bytes_ = 0;  // of what write_one() wrote
};

TEST_F(SpoolTest, ReturnsWhatWasWritten) {
  const auto spool = Spool::open(write_one());
  ASSERT_TRUE(spool);
  ASSERT_EQ(spool->notes.size(), 2U);
  EXPECT_TRUE(spool->notes.first<SessionNote>());
  EXPECT_EQ(spool->notes.first<StreamNote>()->content, "\\xff broken");
  ASSERT_EQ(spool->clocks.size(), 1U);
  EXPECT_EQ(spool->clocks[0].realtime, 3);
  ASSERT_EQ(spool->pieces.size(), 1U);
  EXPECT_EQ(spool->pieces[0].header.claimed, 99U);
  EXPECT_EQ(spool->pieces[0].bytes.size(), 8U);
  EXPECT_EQ(spool->record_bytes, 8U);
  ASSERT_EQ(spool->kernel_pieces.size(), 1U);
  EXPECT_EQ(spool->kernel_pieces[0].header.cpu, 3U);
  EXPECT_EQ(spool->kernel_pieces[0].bytes.size(), 24U);
  ASSERT_EQ(spool->metric_pieces.size(), 1U);
  EXPECT_EQ(spool->metric_pieces[0].header.source, 5U);
  EXPECT_EQ(spool->metric_pieces[0].bytes.size(), 7U);
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

TEST_F(SpoolTest, PassesOverDamageInTheMiddle) {
  std::string content = test::read_file(write_one());
  for (int i = 0; i < 16; ++i) content[8 + i] = '\xff';  // the header of the first block
  const auto spool = Spool::parse(bytes_of(content));
  ASSERT_TRUE(spool);
  ASSERT_EQ(spool->notes.size(), 1U);
  EXPECT_TRUE(spool->notes.first<StreamNote>());
  EXPECT_EQ(spool->clocks.size(), 1U);
  EXPECT_EQ(spool->pieces.size(), 1U);
  EXPECT_EQ(spool->ignored_bytes, first_block_bytes_);
}

// Also if the length becomes that of several blocks.
TEST_F(SpoolTest, OneWrongBitOfAHeaderCostsAtMostItsBlock) {
  const std::string whole = test::read_file(write_one());
  for (std::size_t bit = 0; bit < sizeof(BlockHeader) * 8; ++bit) {
    std::string content = whole;
    content[8 + bit / 8] = static_cast<char>(content[8 + bit / 8] ^ 1 << bit % 8);
    const auto spool = Spool::parse(bytes_of(content));
    ASSERT_TRUE(spool);
    EXPECT_TRUE(spool->notes.first<StreamNote>()) << bit;
    EXPECT_EQ(spool->clocks.size(), 1U) << bit;
    EXPECT_GE(spool->pieces.size(), 1U) << bit;
    const bool is_kind = bit / 32 == 1, is_padding = bit / 64 == 1 && bit % 64 < 3;
    if (is_kind || is_padding) continue;  // the block itself is lost
    EXPECT_TRUE(spool->notes.first<SessionNote>()) << bit;
    EXPECT_GT(spool->ignored_bytes, 0U) << bit;
  }
}

// Times computed from such clocks would overflow.
TEST_F(SpoolTest, SkipsClocksThatCannotBe) {
  constexpr auto kFirst = std::numeric_limits<std::int64_t>::min();
  constexpr auto kLast = std::numeric_limits<std::int64_t>::max();
  {
    auto writer = *SpoolWriter::create(directory_.file("s"));
    for (const std::int64_t time : {kFirst, std::int64_t{-1}, kLast}) {
      ASSERT_TRUE(writer.clock({1, time, 3}));
      ASSERT_TRUE(writer.clock({1, 2, time}));
    }
    ASSERT_TRUE(writer.clock({~std::uint64_t{0}, 2, 3}));
  }
  const auto spool = Spool::open(directory_.file("s"));
  ASSERT_TRUE(spool);
  ASSERT_EQ(spool->clocks.size(), 1U);
  EXPECT_EQ(spool->clocks[0].monotonic, 2);
  EXPECT_EQ(spool->ignored_bytes, 6 * sizeof(ClockTriple));
}

// Otherwise the first copy would overflow the stack.
TEST_F(SpoolTest, LeavesOutWhatLiesTooDeepInANote) {
  const std::string note =
      R"({"type":"end","x":)" + std::string(100000, '[') + std::string(100000, ']') + "}";
  const std::uint64_t block[] = {std::uint64_t{1} << 32 | 0x6b636c62, note.size()};
  std::string content = "profspl1";
  content.append(reinterpret_cast<const char*>(block), sizeof block) += note;
  content.resize((content.size() + 7) / 8 * 8);
  const auto spool = Spool::parse(bytes_of(content));
  ASSERT_TRUE(spool);
  ASSERT_EQ(spool->notes.size(), 1U);
  EXPECT_TRUE(spool->notes.first<EndNote>());
}

TEST_F(SpoolTest, FindsWhatFollowsALostBeginning) {
  std::string content = test::read_file(write_one());
  content.replace(0, 48, std::string(48, '\0'));
  const auto spool = Spool::parse(bytes_of(content));
  ASSERT_TRUE(spool);
  EXPECT_EQ(spool->clocks.size(), 1U);
  EXPECT_EQ(spool->pieces.size(), 1U);
}

TEST_F(SpoolTest, KnowsWhatOthersDidToItsFile) {
  auto writer = *SpoolWriter::create(directory_.file("s"));
  ASSERT_TRUE(writer.note(SessionNote{}));
  EXPECT_FALSE(writer.was_truncated());
  EXPECT_FALSE(writer.is_deleted());
  std::filesystem::resize_file(directory_.file("s"), 0);
  ASSERT_TRUE(writer.clock({1, 2, 3}));
  EXPECT_TRUE(writer.was_truncated());
  const auto rest = Spool::open(directory_.file("s"));
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest->clocks.size(), 1U);
  EXPECT_EQ(rest->ignored_bytes, 0U);
  std::filesystem::remove(directory_.file("s"));
  EXPECT_TRUE(writer.is_deleted());
  ASSERT_TRUE(writer.clock({1, 2, 3}));
  const base::UniqueFd file = writer.duplicate();
  EXPECT_EQ(Spool::open(file.get(), "s")->clocks.size(), 2U);
}

TEST_F(SpoolTest, KeepsRoomForTheLastWords) {
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit limit{128 << 10, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &limit);
  auto writer = *SpoolWriter::create(directory_.file("s"));
  setrlimit(RLIMIT_FSIZE, &before);
  const std::string records(8000, 'x');
  int written = 0;
  while (writer.records({16, 7, 99, 0, 0}, bytes_of(records))) ++written;
  EXPECT_TRUE(writer.is_full());
  EXPECT_GT(written, 2);
  EXPECT_TRUE(writer.note(ProcessEndNote{}));
  while (writer.note(StreamNote{1, "f", records})) {
  }
  EXPECT_TRUE(writer.last_note(EndNote{}));
  const auto spool = Spool::open(directory_.file("s"));
  EXPECT_EQ(spool->pieces.size(), static_cast<std::size_t>(written));
  EXPECT_TRUE(spool->notes.first<EndNote>());
  EXPECT_EQ(spool->ignored_bytes, 0U);
}

// Where the file system can allocate space in advance, and has much.
TEST_F(SpoolTest, AShortRecordingGetsItsDiskSpaceWhenItLasts) {
  auto writer = *SpoolWriter::create(directory_.file("s"));
  const base::UniqueFd file = writer.duplicate();
  const auto bytes_on_disk = [&file] {
    struct stat info {};
    fstat(file.get(), &info);
    return info.st_blocks * 512;
  };
  struct statfs disk {};
  ASSERT_EQ(fstatfs(file.get(), &disk), 0);
  if (disk.f_bavail * static_cast<std::uint64_t>(disk.f_bsize) < 128 << 20)
    GTEST_SKIP() << "the disk is nearly full";
  ASSERT_TRUE(writer.note(EndNote{}));
  EXPECT_LT(bytes_on_disk(), 64 << 10);
  ASSERT_TRUE(writer.secure_space());
  if (bytes_on_disk() < 64 << 10) GTEST_SKIP() << "the file system cannot allocate space";
  const auto allocated = bytes_on_disk();
  ASSERT_TRUE(writer.secure_space());
  ASSERT_TRUE(writer.note(EndNote{}));
  EXPECT_EQ(bytes_on_disk(), allocated);
  EXPECT_EQ(Spool::open(directory_.file("s"))->notes.all<EndNote>().size(), 2U);
}

TEST_F(SpoolTest, WritesWhatItCollectedTogetherAndInOrder) {
  auto writer = *SpoolWriter::create(directory_.file("s"));
  writer.collect();
  const std::string large(100'000, 'x');
  ASSERT_TRUE(writer.note(ProcessNote{.serial = 16, .name = "a \"b\" \xff"}));
  ASSERT_TRUE(writer.records({16, 7, 99, 0, 0}, bytes_of(std::string("12345678"))));
  EXPECT_EQ(Spool::open(directory_.file("s"))->pieces.size(), 0U);
  ASSERT_TRUE(writer.records({16, 7, 99, 8, 0}, bytes_of(large)));
  ASSERT_TRUE(writer.note(ProcessEndNote{16, {{DropCause::kDiskFull, 3}}}));
  ASSERT_TRUE(writer.flush());
  const auto spool = Spool::open(directory_.file("s"));
  ASSERT_EQ(spool->pieces.size(), 2U);
  EXPECT_EQ(spool->pieces[0].header.offset, 0U);
  EXPECT_EQ(spool->pieces[1].bytes.size(), large.size());
  const auto process = spool->notes.first<ProcessNote>();
  ASSERT_TRUE(process);
  EXPECT_EQ(process->serial, 16U);
  EXPECT_EQ(process->name, "a \"b\" \\xff");
  const auto end = spool->notes.first<ProcessEndNote>();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->dropped, (Drops{{DropCause::kDiskFull, 3}}));
  EXPECT_EQ(spool->ignored_bytes, 0U);
}

TEST_F(SpoolTest, SaysWhatOfTheCollectedIsNotInTheFile) {
  auto writer = *SpoolWriter::create(directory_.file("s"));
  writer.collect();
  ASSERT_TRUE(writer.note(ProcessNote{}));
  ASSERT_TRUE(writer.records({16, 7, 99, 0, 0}, bytes_of(std::string("12345678"))));
  const auto handler = signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit limit{sizeof kSpoolMagic, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &limit);
  const bool flushed = writer.flush().has_value();
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, handler);
  EXPECT_FALSE(flushed);
  std::string lost;
  writer.discard([&](std::span<const std::byte> bytes) {
    lost.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  });
  EXPECT_EQ(lost, "12345678");
  ASSERT_TRUE(writer.clock({1, 2, 3}));  // recording can go on
  EXPECT_EQ(Spool::open(directory_.file("s"))->clocks.size(), 1U);
}

TEST_F(SpoolTest, DoesNotOverwrite) {
  write_one();
  EXPECT_FALSE(SpoolWriter::create(directory_.file("s")));
}

TEST_F(SpoolTest, AFullDiskLeavesWholeBlocks) {
  auto writer = SpoolWriter::create("/dev/full");
  EXPECT_FALSE(writer);  // it exists already
  const auto missing = SpoolWriter::create(directory_.file("no/such/s"));
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("No such file"), std::string::npos);
}

}  // namespace
}  // namespace prof::spool
