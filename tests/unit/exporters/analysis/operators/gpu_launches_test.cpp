#include "exporters/analysis/operators/gpu_launches.hpp"

#include "tests/unit/exporters/analysis/operators/operator_fixture.hpp"

namespace prof::operators {
namespace {

class GpuLaunchesTest : public test::OperatorFixture {};

TEST_F(GpuLaunchesTest, HasOperationsAndTheirCalls) {
  add_training_step();
  const auto file = reader();
  const auto launches = GpuLaunches::read(file, events::RangeOf::kBoth, {});
  ASSERT_TRUE(launches);
  ASSERT_EQ(launches->operations.size(), 7u);
  const GpuOperation& first = launches->operations.front();
  EXPECT_EQ(first.start, 1140);
  EXPECT_EQ(first.duration(), 500);
  EXPECT_EQ(first.call, -1);
  EXPECT_EQ(launches->node_of(0), 0);
  const events::ApiCall* call = launches->calls.launching(first.global_pid, first.correlation);
  ASSERT_NE(call, nullptr);
  EXPECT_EQ(call->start, 140);
  EXPECT_EQ(launches->chain_of(*call), 0);
}

TEST_F(GpuLaunchesTest, HasTheOperationsOfAWindow) {
  add_training_step();
  const auto file = reader();
  const auto launches =
      GpuLaunches::read(file, events::RangeOf::kBoth, insight::Interval{5000, 6000});
  ASSERT_TRUE(launches);
  ASSERT_EQ(launches->operations.size(), 1u);
  EXPECT_EQ(launches->operations.front().correlation, 999);
  EXPECT_EQ(launches->calls.all().size(), 6u);
}

}  // namespace
}  // namespace prof::operators
