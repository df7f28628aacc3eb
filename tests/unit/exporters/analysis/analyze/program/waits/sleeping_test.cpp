#include "tests/unit/exporters/analysis/analyze/program/waits/wait_fixture.hpp"

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

// Some of the sleeps were seen, at one place. A place in the C library says nothing about Python.
TEST_F(WaitFindings, SleepsOfPythonHaveLines) {
  run(0);
  for (int i = 0; i < 20; ++i) {
    wait((10 * i + 1) * kMs);
    add_os_call((10 * i + 1) * kMs, (10 * i + 9) * kMs, "clock_nanosleep");
    run((10 * i + 9) * kMs);
  }
  end(200 * kMs);
  const auto place = [this] {
    const std::string evidence = find(analyze::sleeping).evidence;
    return evidence.substr(std::min(evidence.find("median 8 ms"), evidence.size()));
  };
  EXPECT_EQ(place(), "median 8 ms");
  python_waits({2 * kMs, 52 * kMs}, {python_frame("pause", "/home/me/app.py", 3)});
  EXPECT_EQ(place(), "median 8 ms, most called from pause (/home/me/app.py:3)");
  python_waits({152 * kMs}, {python_frame("hold", "/home/me/app.py", 9)});
  EXPECT_EQ(place(),
            "median 8 ms; 2 calls of clock_nanosleep, median 8 ms, called from pause "
            "(/home/me/app.py:3); 1 other call from elsewhere");
}

}  // namespace prof::test
