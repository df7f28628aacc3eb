#include "tests/unit/exporters/analysis/analyze/program/waits/wait_fixture.hpp"

namespace prof::test {

TEST_F(WaitFindings, SmallWritesAreKnownByWhatTheyReturn) {
  run(0);
  add_os_call(0, 5'000, "write");
  sql("WITH RECURSIVE numbers(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < 999) "
      "INSERT INTO OSRT_API SELECT start + 10000 * i, \"end\" + 10000 * i, eventClass, globalTid, "
      "nameId, returnValue, nestingLevel, callchainId FROM OSRT_API, numbers");
  end(10 * kMs);
  sql("UPDATE OSRT_API SET returnValue = 8");
  const Finding found = find(analyze::small_transfers);
  EXPECT_EQ(found.at_stake, 5 * kMs);
  EXPECT_NE(found.evidence.find("1000 calls of write, median 5 us and 8 B on average"),
            std::string::npos)
      << found.evidence;
  sql("UPDATE OSRT_API SET returnValue = 65536");
  EXPECT_EQ(find(analyze::small_transfers).at_stake, 0);
}

// Calls below the threshold are recorded as sums.
TEST_F(WaitFindings, SumsOfShortCallsCount) {
  run(0);
  add_os_call(1 * kMs, 2 * kMs, "write");
  end(100 * kMs);
  sql("CREATE TABLE PROF_SHORT_CALLS (globalTid, nameId, calls, duration);"
      "INSERT INTO PROF_SHORT_CALLS VALUES (" +
      std::to_string(global_id(9, 9)) + "," + text("write") + ",20000,30000000),(" +
      std::to_string(global_id(9, 9)) + "," + text("stat") + ",50000,40000000),(" +
      std::to_string(global_id(9, 8)) + "," + text("write") + ",1000000,900000000)");
  const Finding writes = find(analyze::small_transfers);
  EXPECT_EQ(writes.at_stake, 30 * kMs);
  EXPECT_EQ(writes.evidence, "20000 calls of write below --osrt-threshold, 1.5 us on average");
  EXPECT_EQ(find(analyze::many_system_calls).at_stake, 40 * kMs);
}

}  // namespace prof::test
