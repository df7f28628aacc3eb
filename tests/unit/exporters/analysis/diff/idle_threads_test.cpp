#include "exporters/analysis/diff/idle_threads.hpp"

#include <fmt/format.h>

#include "tests/unit/exporters/report_fixture.hpp"

namespace prof::diff {
namespace {

class IdleThreadsTest : public test::ReportFixture {
 protected:
  static constexpr std::int64_t kMain = test::global_id(9, 9);
  static constexpr std::int64_t kWorker = test::global_id(9, 10);
  static constexpr int kPoll = 11;
  static constexpr int kWrite = 12;

  IdleThreadsTest() {
    sql("INSERT INTO StringIds VALUES (11, 'poll'), (12, 'write');"
        "CREATE TABLE OSRT_API (start, end, eventClass, globalTid, nameId, nestingLevel);");
  }
  void call(std::int64_t thread, int name, int start, int end, int level = 0) {
    sql(fmt::format("INSERT INTO OSRT_API VALUES ({}, {}, 27, {}, {}, {})", start, end, thread,
                    name, level));
  }
  std::unordered_set<std::int64_t> idle() {
    const auto read = idle_threads(reader());
    if (!read) ADD_FAILURE() << read.error().message;
    return read.value_or(std::unordered_set<std::int64_t>());
  }
};

TEST_F(IdleThreadsTest, WaitNinetyPercentOfTheirTime) {
  call(kWorker, kPoll, 0, 90);
  call(kWorker, kWrite, 99, 100);
  EXPECT_EQ(idle(), std::unordered_set{kWorker});
  call(kWorker, kWrite, 110, 111);
  EXPECT_TRUE(idle().empty());
}

TEST_F(IdleThreadsTest, AMainThreadLivesAsLongAsItsProcess) {
  call(kMain, kPoll, 0, 50);
  call(kWorker, kWrite, 0, 100);
  EXPECT_TRUE(idle().empty());
}

TEST_F(IdleThreadsTest, NestedWaitsCountOnce) {
  call(kWorker, kPoll, 0, 60);
  call(kWorker, kPoll, 1, 59, 1);
  call(kWorker, kWrite, 99, 100);
  EXPECT_TRUE(idle().empty());
}

TEST(IdleThreads, WaitingFunctions) {
  EXPECT_TRUE(is_waiting_function("pthread_cond_wait"));
  EXPECT_TRUE(is_waiting_function("epoll_wait"));
  EXPECT_FALSE(is_waiting_function("write"));
  EXPECT_FALSE(is_waiting_function("pthread_mutex_lock"));
}

}  // namespace
}  // namespace prof::diff
