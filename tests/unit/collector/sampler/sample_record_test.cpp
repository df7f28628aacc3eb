#include "collector/sampler/sample_record.hpp"

#include <gtest/gtest.h>

#include <iterator>
#include <utility>

#include "collector/sampler/machine/machine.hpp"

#include "tests/unit/collector/sampler/record_body.hpp"

namespace prof::sampler {
namespace {

using test::RecordBody;

constexpr std::uint64_t kKernel = static_cast<std::uint64_t>(PERF_CONTEXT_KERNEL);
constexpr std::uint64_t kUser = static_cast<std::uint64_t>(PERF_CONTEXT_USER);
constexpr std::uint64_t kGuest = static_cast<std::uint64_t>(PERF_CONTEXT_GUEST);

RecordBody begin() { return RecordBody().add(std::uint64_t{0x1234}).ids(); }

TEST(SampleRecord, OnlyAnAddress) {
  Sample sample;
  ASSERT_TRUE(parse_sample(begin().bytes(), {}, sample));
  EXPECT_EQ(sample.address, 0x1234U);
  EXPECT_EQ(sample.ids.pid, 10U);
  EXPECT_EQ(sample.ids.tid, 11U);
  EXPECT_EQ(sample.ids.time, 1000U);
  EXPECT_EQ(sample.registers.known, 0U);
}

TEST(SampleRecord, KernelAndUserChainsAreSeparatedByMarks) {
  RecordBody body = begin();
  body.add(std::uint64_t{7});
  for (const std::uint64_t each : {kKernel, std::uint64_t{1}, std::uint64_t{2}, kGuest,
                                   std::uint64_t{8}, kUser, std::uint64_t{3}})
    body.add(each);
  Sample sample;
  ASSERT_TRUE(parse_sample(body.bytes(), {.kernel_chain = true}, sample));
  EXPECT_EQ(sample.kernel_chain, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(sample.user_chain, std::vector<std::uint64_t>{3});
}

// Of registers in asm/perf_regs.h, among those that are asked for.
#if defined(__x86_64__)
constexpr std::pair<unwind::Register, std::uint64_t> kPlaces[] = {
    {unwind::kRax, 0}, {unwind::kRbp, 6}, {unwind::kRsp, 7},
    {unwind::kRip, 8}, {unwind::kR8, 9},  {unwind::kR15, 16}};
#else
constexpr std::pair<unwind::Register, std::uint64_t> kPlaces[] = {
    {unwind::kX0, 0}, {unwind::kX29, 29}, {unwind::kX30, 30}, {unwind::kSp, 31}, {unwind::kPc, 32}};
#endif

TEST(SampleRecord, RegistersAndTheCopiedStack) {
  RecordBody body = begin();
  body.add(std::uint64_t{PERF_SAMPLE_REGS_ABI_64});
  for (std::uint64_t i = 0; i < std::size(kRegisterOrder); ++i) body.add(100 + i);
  body.add(std::uint64_t{16}).text("0123456789abcdef").add(std::uint64_t{10});
  Sample sample;
  ASSERT_TRUE(parse_sample(body.bytes(), {.stack_bytes = 16}, sample));
  for (const auto& [index, place] : kPlaces) EXPECT_EQ(sample.registers[index], 100U + place);
  EXPECT_EQ(sample.stack.size(), 10U);
}

TEST(SampleRecord, KernelThreadsAnd32BitProgramsHaveNoRegisters) {
  RecordBody none = begin();
  none.add(std::uint64_t{PERF_SAMPLE_REGS_ABI_NONE}).add(std::uint64_t{0});
  Sample sample;
  ASSERT_TRUE(parse_sample(none.bytes(), {.stack_bytes = 16}, sample));
  EXPECT_EQ(sample.registers.known, 0U);
  EXPECT_TRUE(sample.stack.empty());

  RecordBody narrow = begin();
  narrow.add(std::uint64_t{PERF_SAMPLE_REGS_ABI_32});
  for (std::uint64_t i = 0; i < std::size(kRegisterOrder); ++i) narrow.add(i);
  narrow.add(std::uint64_t{0});
  ASSERT_TRUE(parse_sample(narrow.bytes(), {.stack_bytes = 16}, sample));
  EXPECT_EQ(sample.registers.known, 0U);
}

TEST(SampleRecord, TruncatedOrTooLongRecordsAreRejected) {
  RecordBody whole = begin();
  whole.add(std::uint64_t{1}).add(std::uint64_t{5}).add(std::uint64_t{PERF_SAMPLE_REGS_ABI_64});
  for (std::uint64_t i = 0; i < std::size(kRegisterOrder); ++i) whole.add(i);
  whole.add(std::uint64_t{8}).text("01234567").add(std::uint64_t{8});
  const SampleFields fields{.kernel_chain = true, .stack_bytes = 8};
  Sample sample;
  EXPECT_TRUE(parse_sample(whole.bytes(), fields, sample));
  for (std::size_t size = 0; size < whole.bytes().size(); ++size)
    EXPECT_FALSE(parse_sample(whole.bytes().first(size), fields, sample)) << size;
  RecordBody lies = begin();
  lies.add(~std::uint64_t{0});
  EXPECT_FALSE(parse_sample(lies.bytes(), fields, sample));
}

}  // namespace
}  // namespace prof::sampler
