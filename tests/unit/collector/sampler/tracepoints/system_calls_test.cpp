#include "collector/sampler/tracepoints/system_calls.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "tests/unit/collector/sampler/record_body.hpp"

namespace prof::sampler {
namespace {

using spool::KernelRecord;
using spool::KernelRecordType;

constexpr std::uint16_t kEnter = 443;
constexpr std::uint16_t kExit = 442;

using Body = test::RecordBody;

class RecordShortenerTest : public ::testing::Test {
 protected:
  void add(std::uint32_t type, const Body& body, std::uint16_t misc = 0) {
    shortener_.add({type, misc, body.bytes()});
  }
  KernelRecord only(std::size_t bytes = sizeof(KernelRecord)) {
    KernelRecord record{};
    EXPECT_EQ(shortener_.records().size(), bytes);
    if (shortener_.records().size() >= sizeof record)
      std::memcpy(&record, shortener_.records().data(), sizeof record);
    EXPECT_EQ(record.time, 1000U);
    EXPECT_EQ(record.pid, 10U);
    EXPECT_EQ(record.tid, 11U);
    return record;
  }
  RecordShortener shortener_{SystemCallTracepoints{kEnter, kExit, 8}};
};

TEST_F(RecordShortenerTest, EntersHaveTheNumberAndTheKindOfProgram) {
  add(PERF_RECORD_SAMPLE,
      Body().ids().raw(kEnter, 39).add(std::uint64_t{2}).add(std::uint64_t{51}));
  EXPECT_EQ(only().type, KernelRecordType::kEnter);
  EXPECT_EQ(only().value, 39U);
  EXPECT_EQ(only().flags, 0);
  shortener_.clear();
  add(PERF_RECORD_SAMPLE,
      Body().ids().raw(kEnter, 20).add(std::uint64_t{1}).add(std::uint64_t{35}));
  EXPECT_EQ(only().flags, spool::kCallOf32Bit);
}

TEST_F(RecordShortenerTest, ExitsMayHaveLostTheirNumber) {
  add(PERF_RECORD_SAMPLE, Body().ids().raw(kExit, -1));
  EXPECT_EQ(only().type, KernelRecordType::kExit);
  EXPECT_EQ(only().value, ~0U);
}

TEST_F(RecordShortenerTest, ForksAndEnds) {
  const auto task = [](std::uint32_t maker) {
    return Body()
        .add(std::uint32_t{10})
        .add(std::uint32_t{7})
        .add(std::uint32_t{11})
        .add(maker)
        .add(std::uint64_t{1000})
        .ids();
  };
  add(PERF_RECORD_FORK, task(8));
  EXPECT_EQ(only().type, KernelRecordType::kFork);
  EXPECT_EQ(only().value, 8U);
  shortener_.clear();
  add(PERF_RECORD_EXIT, task(8));
  EXPECT_EQ(only().type, KernelRecordType::kThreadEnd);
}

TEST_F(RecordShortenerTest, Names) {
  const auto name = [](const std::string& text) {
    return Body().add(std::uint32_t{10}).add(std::uint32_t{11}).text(text).ids();
  };
  add(PERF_RECORD_COMM, name(std::string("sleeper\0", 8)), PERF_RECORD_MISC_COMM_EXEC);
  EXPECT_EQ(only(40).type, KernelRecordType::kName);
  EXPECT_EQ(only(40).flags, spool::kNameFromExec);
  EXPECT_STREQ(reinterpret_cast<const char*>(shortener_.records().data()) + 24, "sleeper");
  shortener_.clear();
  add(PERF_RECORD_COMM, name("longer than any name of the kernel's"));
  EXPECT_EQ(only(40).flags, 0);
}

TEST_F(RecordShortenerTest, LossesAreLimitedToTheSizeOfTheField) {
  add(PERF_RECORD_LOST, Body().add(std::uint64_t{5}).add(std::uint64_t{12}).ids());
  EXPECT_EQ(only().type, KernelRecordType::kLost);
  EXPECT_EQ(only().value, 12U);
  shortener_.clear();
  add(PERF_RECORD_LOST, Body().add(std::uint64_t{5}).add(std::uint64_t{1} << 40).ids());
  EXPECT_EQ(only().value, ~0U);
}

TEST_F(RecordShortenerTest, TooShortAndUnknownRecordsAreIgnored) {
  for (const std::uint32_t type : {PERF_RECORD_SAMPLE, PERF_RECORD_FORK, PERF_RECORD_EXIT,
                                   PERF_RECORD_COMM, PERF_RECORD_LOST, PERF_RECORD_MMAP}) {
    Body body;
    for (int bytes = 0; bytes < 20; ++bytes, body.add('\1')) add(type, body);
  }
  add(PERF_RECORD_SAMPLE, Body().ids().raw(kEnter, 1, 4000));  // longer than the record
  add(PERF_RECORD_SAMPLE, Body().ids().raw(kEnter, 1, 11));    // too short for the number
  add(PERF_RECORD_SAMPLE, Body().ids().raw(7, 1));             // another tracepoint
  EXPECT_TRUE(shortener_.records().empty());
}

}  // namespace
}  // namespace prof::sampler
