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
  EXPECT_TRUE(drain().empty());
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
