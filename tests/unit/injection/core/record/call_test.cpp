#include "injection/core/record/call.hpp"

#include <setjmp.h>

#include <string>

#include "collector/spool/decoder.hpp"
#include "tests/unit/injection/core/session_fixture.hpp"

namespace prof::core {
namespace {

constexpr Function kOuter{900, "outer"};
constexpr Function kInner{901, "inner"};

class Calls : public SessionFixture {
 protected:
  std::vector<wire::CallRecord> calls() {
    std::vector<wire::CallRecord> all;
    for (const auto& [tid, bytes] : drain())
      spool::decode(bytes, [&](const wire::CallRecord& record) { all.push_back(record); });
    return all;
  }
};

[[gnu::noinline]] void inner_call() {
  const Call call = begin_call();
  end_call(call, kInner, 1);
}

[[gnu::noinline]] void outer_call(void (*body)()) {
  const Call call = begin_call();
  body();
  end_call(call, kOuter, -1);
}

TEST_F(Calls, AreRecordedWithResultAndTimes) {
  inner_call();
  const auto all = calls();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].header.aux, kInner.id);
  EXPECT_EQ(all[0].result, 1);
  EXPECT_LE(all[0].start, all[0].end);
}

TEST_F(Calls, BelowTheThresholdAreNotRecorded) {
  g_process.osrt_threshold = 1'000'000'000;
  inner_call();
  EXPECT_TRUE(calls().empty());
}

struct ShortCounts {
  std::uint64_t calls = 0;
  std::uint64_t time = 0;
};

// By function.
using ShortSums = std::map<std::uint32_t, ShortCounts>;

void add_short_calls(const std::map<std::uint32_t, std::vector<std::byte>>& threads,
                     ShortSums& sums) {
  for (const auto& [tid, bytes] : threads)
    spool::decode(bytes, [&](const wire::ShortCallsRecord& record) {
      sums[record.header.aux].calls += record.calls;
      sums[record.header.aux].time += record.time;
    });
}

TEST_F(Calls, BelowTheThresholdAreCounted) {
  g_process.osrt_threshold = ~std::uint64_t{0};
  constexpr Function kSameSlot{kOuter.id + kCounterSlots - kOwnSlots, "same slot"};
  static_assert(slot_of(kSameSlot) == slot_of(kOuter));
  for (int i = 0; i < 10; ++i) {
    outer_call(inner_call);
    end_call(begin_call(), kSameSlot, 0);
    if (i % 3 == 0) outer_call(inner_call);
  }
  release_chunk();
  ShortSums sums;
  add_short_calls(drain(), sums);
  EXPECT_EQ(sums[kOuter.id].calls, 14U);
  EXPECT_EQ(sums[kInner.id].calls, 14U);
  EXPECT_EQ(sums[kSameSlot.id].calls, 10U);
  EXPECT_GT(sums[kOuter.id].time, sums[kInner.id].time);
}

TEST_F(Calls, ThatAreShortAreCountedInEveryChunk) {
  ShortSums sums;
  for (int i = 0; i < 5000; ++i) {
    g_process.osrt_threshold = ~std::uint64_t{0};
    inner_call();
    g_process.osrt_threshold = 0;
    outer_call(inner_call);
    if (i % 50 == 0) add_short_calls(drain(), sums);
  }
  release_chunk();
  add_short_calls(drain(), sums);
  EXPECT_EQ(sums[kInner.id].calls, 5000U);
  EXPECT_EQ(sums.size(), 1U);
}

TEST_F(Calls, ThatAreShortOfMoreFunctionsThanAChunkCounts) {
  g_process.osrt_threshold = ~std::uint64_t{0};
  for (std::uint32_t i = 0; i < 800; ++i) end_call(begin_call(), {i % 400, "many"}, 0);
  release_chunk();
  ShortSums sums;
  add_short_calls(drain(), sums);
  EXPECT_EQ(sums.size(), 400U);
  for (const auto& [function, counts] : sums) EXPECT_EQ(counts.calls, 2U) << function;
}

TEST_F(Calls, ThatAreShortDoNotMakeAForkChildJoin) {
  g_process.osrt_threshold = ~std::uint64_t{0};
  g_process.features |= wire::kFeatureForks;
  const std::uint32_t serial = g_live.word.exchange(kWiped);
  for (int i = 0; i < 7; ++i) inner_call();
  EXPECT_TRUE(drain().empty());
  EXPECT_EQ(live_word(), kWiped);
  g_live.word = serial;  // it joins
  inner_call();
  release_chunk();
  ShortSums sums;
  add_short_calls(drain(), sums);
  EXPECT_EQ(sums[kInner.id].calls, 8U);
  EXPECT_EQ(g_live.early_calls, 0U);
}

TEST_F(Calls, NestingIsCounted) {
  outer_call([] { outer_call(inner_call); });
  inner_call();
  std::vector<int> levels;
  for (const auto& call : calls()) levels.push_back(call.header.flags);
  EXPECT_EQ(levels, (std::vector<int>{2, 1, 0, 0}));
}

jmp_buf g_back;
[[noreturn]] [[gnu::noinline]] void jump_out() { longjmp(g_back, 1); }

TEST_F(Calls, AfterALongjmpTheNextCallIsNotNested) {
  if (setjmp(g_back) == 0) outer_call(jump_out);
  inner_call();
  const auto all = calls();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].header.flags, 0);
}

TEST_F(Calls, NamesTheFunctionOnce) {
  constexpr Function kFresh{902, "fresh"};
  for (int i = 0; i < 3; ++i) end_call(begin_call(), kFresh, 0);
  int names = 0;
  for (const auto& [tid, bytes] : drain())
    spool::decode(bytes, [&](const wire::FunctionRecord& record) {
      names += record.header.aux == kFresh.id ? 1 : 0;
    });
  EXPECT_EQ(names, 1);
}

TEST(AsResult, KeepsSignAndPointers) {
  EXPECT_EQ(as_result(-1), -1);
  EXPECT_EQ(as_result(static_cast<ssize_t>(-5)), -5);
  EXPECT_EQ(as_result(7U), 7);
  int object;
  EXPECT_EQ(as_result(&object),
            static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(&object)));
}

}  // namespace
}  // namespace prof::core
