#include "tests/unit/exporters/gpu_fixture.hpp"

namespace prof::stats {
namespace {

class LaunchStatsTest : public test::GpuFixture {
 protected:
  LaunchStatsTest() {
    create_api();
    add_call(0, 100, 9, 1);
    add({.start = 150, .end = 200, .correlation = 1});  // short
    add_call(1'000, 61'000, 9, 2);                      // slow
    add({.start = 60'000, .end = 220'000, .correlation = 2});
    add_call(300'000, 300'010, 9, 3);
    add({.start = 400'011, .end = 400'111, .correlation = 3});  // long after
  }
};

TEST_F(LaunchStatsTest, ShortSlowAndLate) {
  EXPECT_EQ(rows("launch_stats"),
            Lines{"100,3,1,1,1,100.0,54010.0,50.0,90005.9,100.0,144010.0,9,0,f(int)"});
}

TEST_F(LaunchStatsTest, KernelsOfGraphsHaveNoLaunchesOfTheirOwn) {
  const Lines without = rows("launch_stats");
  sql("INSERT INTO StringIds VALUES (9, 'cudaGraphLaunch_v10000');");
  add_call(500'000, 500'100, 9, 4);
  sql("UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET nameId = 9 WHERE correlationId = 4;");
  add({.start = 600'000, .end = 600'001, .correlation = 4});
  EXPECT_EQ(rows("launch_stats"), without);
}

TEST_F(LaunchStatsTest, MostTimeLostFirst) {
  add_call(700'000, 710'000, 8, 1);
  add({.start = 710'000, .end = 710'001, .correlation = 1, .pid = 8});
  const Lines all = rows("launch_stats");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0], "10000,1,1,0,0,10000.0,10000.0,0.0,0.0,1.0,1.0,8,0,f(int)");
}

}  // namespace
}  // namespace prof::stats
