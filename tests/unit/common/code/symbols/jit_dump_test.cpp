#include "common/code/symbols/jit_dump.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

namespace prof::symbols {
namespace {

template <class... T>
std::string bytes_of(T... values) {
  std::string bytes;
  (bytes.append(reinterpret_cast<const char*>(&values), sizeof values), ...);
  return bytes;
}

std::string file_header(std::uint64_t flags = 0) {
  return bytes_of(0x4A695444U, 1U, 40U, 62U, 0U, 7U, std::uint64_t{5}, flags);
}
std::string record(std::uint32_t type, std::uint64_t time, const std::string& body) {
  return bytes_of(type, static_cast<std::uint32_t>(16 + body.size()), time) + body;
}
std::string load(std::uint64_t time, std::uint64_t address, std::uint64_t size,
                 const std::string& name) {
  return record(0, time,
                bytes_of(7U, 7U, address, address, size, std::uint64_t{1}) + name + '\0' +
                    std::string(size < 100 ? size : 0, '\xcc'));
}
std::string frames(const std::string& eh_frame, std::uint64_t header_bytes) {
  return record(
      4, 0,
      bytes_of(std::uint64_t{eh_frame.size() + header_bytes}, header_bytes, std::uint64_t{0}) +
          eh_frame + std::string(header_bytes, 'h'));
}

class JitDumpTest : public testing::Test {
 protected:
  void SetUp() override {
    file_ = memfd_create("jit", 0);
    path_ = "/proc/self/fd/" + std::to_string(file_);
  }
  void TearDown() override { close(file_); }

  void append(const std::string& bytes) {
    ASSERT_EQ(write(file_, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  bool read(JitDump& dump) {
    return dump.read({[this](JitLoad each) { loads_.push_back(std::move(each)); },
                      [this](const JitMove& each) { moves_.push_back(each); }});
  }
  JitDump open() { return std::move(*JitDump::open(path_, 0)); }

  int file_ = -1;
  std::string path_;
  std::vector<JitLoad> loads_;
  std::vector<JitMove> moves_;
};

TEST_F(JitDumpTest, KnowsItsFilesByTheirNames) {
  EXPECT_TRUE(JitDump::is_dump_name("/tmp/jit-12.dump"));
  EXPECT_FALSE(JitDump::is_dump_name("/tmp/jit-12.dump (deleted)"));
  EXPECT_FALSE(JitDump::is_dump_name("//jit-anon"));
  EXPECT_FALSE(JitDump::is_dump_name("/usr/lib/libjit-12.dump.so"));
}

TEST_F(JitDumpTest, ReadsWhatIsThereAndGoesOnAsTheFileGrows) {
  append(file_header() + load(10, 0x1000, 16, "one"));
  JitDump dump = open();
  EXPECT_TRUE(read(dump));
  ASSERT_EQ(loads_.size(), 1U);
  EXPECT_EQ(loads_[0].name, "one");
  EXPECT_EQ(loads_[0].time, 10U);
  EXPECT_EQ(loads_[0].address, 0x1000U);
  EXPECT_EQ(loads_[0].size, 16U);
  EXPECT_FALSE(dump.counts_tsc());

  const std::string second = load(20, 0x2000, 16, "two");
  append(second.substr(0, 30));
  read(dump);
  EXPECT_EQ(loads_.size(), 1U);
  append(second.substr(30) +
         record(1, 30,
                bytes_of(7U, 7U, std::uint64_t{0}, std::uint64_t{0x1000}, std::uint64_t{0x3000},
                         std::uint64_t{16}, std::uint64_t{1})));
  read(dump);
  ASSERT_EQ(loads_.size(), 2U);
  EXPECT_EQ(loads_[1].name, "two");
  ASSERT_EQ(moves_.size(), 1U);
  EXPECT_EQ(moves_[0].from, 0x1000U);
  EXPECT_EQ(moves_[0].to, 0x3000U);
}

TEST_F(JitDumpTest, UnwindingInfoIsOfTheNextLoad) {
  append(file_header(1) + frames("frames", 4) + load(1, 0x1000, 16, "with") +
         load(2, 0x2000, 16, "without"));
  JitDump dump = open();
  read(dump);
  EXPECT_TRUE(dump.counts_tsc());
  ASSERT_EQ(loads_.size(), 2U);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(loads_[0].eh_frame.data()),
                        loads_[0].eh_frame.size()),
            "frames");
  EXPECT_TRUE(loads_[1].eh_frame.empty());
}

TEST_F(JitDumpTest, OtherRecordsAreSkippedByTheirSize) {
  append(file_header() + record(2, 1, std::string(5000, 'd')) + record(77, 1, "?") +
         record(3, 1, "") + load(2, 0x1000, 16, "after"));
  JitDump dump = open();
  read(dump);
  EXPECT_EQ(loads_.size(), 1U);
}

TEST_F(JitDumpTest, RecordsThatMakeNoSenseEndIt) {
  append(file_header() + bytes_of(0U, 8U, std::uint64_t{0}) + load(2, 0x1000, 16, "lost"));
  JitDump dump = open();
  EXPECT_TRUE(read(dump));
  EXPECT_TRUE(dump.is_corrupt());
  EXPECT_TRUE(loads_.empty());
}

TEST_F(JitDumpTest, ImpossibleCodeIsLeftOut) {
  append(file_header() + load(1, ~std::uint64_t{0} - 4, 50, "wraps") +
         load(1, 0x1000, std::uint64_t{1} << 40, "huge") + load(1, 0x1000, 16, "fine"));
  JitDump dump = open();
  read(dump);
  ASSERT_EQ(loads_.size(), 1U);
  EXPECT_EQ(loads_[0].name, "fine");
}

TEST_F(JitDumpTest, OtherFilesAreNotRead) {
  append(std::string(100, 'x'));
  JitDump dump = open();
  read(dump);
  EXPECT_TRUE(dump.is_corrupt());
  EXPECT_FALSE(JitDump::open("/nowhere/jit-1.dump", 0));
  EXPECT_FALSE(JitDump::open("/dev/null", 0));
  EXPECT_FALSE(JitDump::open(path_, 1));
}

TEST_F(JitDumpTest, ManyRecordsAreReadInSeveralGoes) {
  std::string text = file_header();
  constexpr int kCount = 20'000;
  for (int i = 0; i < kCount; ++i) text += load(1, 0x1000 + 16U * i, 16, "f" + std::to_string(i));
  append(text);
  JitDump dump = open();
  EXPECT_FALSE(read(dump));
  while (!read(dump)) {
  }
  ASSERT_EQ(loads_.size(), kCount);
  EXPECT_EQ(loads_.back().name, "f19999");
}

}  // namespace
}  // namespace prof::symbols
