#include "tests/unit/exporters/analyze/program/waits/wait_fixture.hpp"

namespace prof::test {

TEST_F(WaitFindings, OnlyShortPollsThatFindNothingArePolling) {
  run(0);
  for (int i = 0; i < 20; ++i) {
    wait((10 * i + 1) * kMs);
    add_os_call((10 * i + 1) * kMs, (10 * i + 9) * kMs, "poll");
    run((10 * i + 9) * kMs);
  }
  wait(300 * kMs);
  add_os_call(300 * kMs, 900 * kMs, "poll");
  run(900 * kMs);
  end(901 * kMs);
  EXPECT_EQ(find(analyze::polling).at_stake, 20 * 8 * kMs);
  sql("UPDATE OSRT_API SET returnValue = 1");
  EXPECT_EQ(find(analyze::polling).at_stake, 0);
}

}  // namespace prof::test
