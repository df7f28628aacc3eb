// Kernels beside communication: a program whose kernels take longer beside it is replayed as if the
// communication took another time.
#include "exporters/analysis/replay/slowdowns.hpp"

#include <fmt/format.h>

#include "exporters/analysis/replay/execution_replay.hpp"
#include "exporters/analysis/replay/gains.hpp"
#include "tests/unit/exporters/analysis/path/simulated_program.hpp"

namespace prof::replay {
namespace {

constexpr std::int64_t kWork = 1000;  // ns of a kernel alone
constexpr int kSteps = 10;
constexpr int kCommunications = kSteps / 2;
constexpr int kKernels = 4;  // of a step

class SlowdownsTest : public test::SimulatedProgram {
 protected:
  SlowdownsTest() { sql("INSERT INTO StringIds VALUES (17,'ncclDevKernel_AllReduce()');"); }

  // Records a program that launches four kernels in each step. In every second step an all-reduce
  // runs on another stream from before the first kernel until after the last one. Returns its
  // elapsed time.
  std::int64_t record(double factor) {
    const std::int64_t begin = 1000;
    std::int64_t now = begin;
    for (int step = 0; step < kSteps; ++step) {
      const bool communicates = step % 2 == 1;
      std::int64_t end = 0;
      if (communicates) {
        const std::int64_t start = launch(now);
        end = start + kAllReduce;
        add({.start = start, .end = end, .correlation = correlation_, .stream = 20, .name = 17});
      }
      std::int64_t free = 0;
      for (int i = 0; i < kKernels; ++i) {
        const std::int64_t start = std::max(launch(now), free + 3);
        free = start + std::llround((communicates ? factor : 1) * kWork);
        add({.start = start, .end = free, .correlation = correlation_});
      }
      synchronize(now, std::max(end, free) + 7);
    }
    return now - begin;
  }

  std::int64_t predicted(const char* change, std::int64_t measured) const {
    const auto file = reader();
    const auto result = predict(file, {*parse_what_if(change)});
    EXPECT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->measured, measured);
    EXPECT_EQ(result->replayed, measured);
    return result->predicted;
  }

  // Without communication steps take as long as those that have none, but for its launch. With a
  // quarter of it each step takes `lost` ns longer.
  void expect_gains(double factor, std::int64_t lost, double tolerance) {
    const std::int64_t measured = record(factor);
    const std::int64_t free = predicted("network=0", measured);
    const std::int64_t step = 10 + 3 + kKernels * kWork + (kKernels - 1) * 3 + 7;
    EXPECT_NEAR(static_cast<double>(free),
                static_cast<double>(kSteps * step + kCommunications * 10), kSteps * 5);
    EXPECT_NEAR(static_cast<double>(predicted("network*0.25", measured)),
                static_cast<double>(free + kCommunications * lost), tolerance);
  }

  static constexpr std::int64_t kAllReduce = 8000;  // ns

 private:
  void call(std::int64_t& now, std::int64_t end, const char* name) {
    sql(
        fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ({},{},0,{},{},(SELECT id FROM "
                    "StringIds WHERE value = '{}'),0,NULL);",
                    now, end, test::global_id(9, 9), ++correlation_, name));
    now = end;
  }
  std::int64_t launch(std::int64_t& now) {
    call(now, now + 10, "cudaLaunchKernel");
    return now + 3;
  }
  void synchronize(std::int64_t& now, std::int64_t end) {
    call(now, end, "cudaDeviceSynchronize");
    sql(fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES ({},0,0,{},0,4);",
                    test::global_id(9, 0), correlation_));
  }

  std::int64_t correlation_ = 0;
};

TEST_F(SlowdownsTest, KernelsHaveTheirTimeAlone) {
  record(2);
  const auto file = reader();
  const auto execution = path::ExecutionModel::read(file);
  ASSERT_TRUE(execution) << execution.error().message;
  const Slowdowns slowdowns(*execution);
  EXPECT_FALSE(slowdowns.empty());
  for (std::uint32_t i = 0; i < execution->operations(); ++i)
    EXPECT_EQ(slowdowns.alone(i), execution->work().at(i).communication ? kAllReduce : kWork);
}

TEST_F(SlowdownsTest, KernelsOfASecondWaveAreFasterWithoutCommunication) {
  // In a quarter of the time only the first kernel of a step is slowed.
  expect_gains(2, kWork, kSteps * 5);
}

TEST_F(SlowdownsTest, OtherKernelsAreSlowedByTheTimeBesideCommunication) {
  // A fifth of the 2 us of communication is lost.
  expect_gains(1.25, 400, kSteps * 10);
}

TEST_F(SlowdownsTest, EqualDurationsAreNotSlowed) {
  const std::int64_t measured = record(1);
  const auto file = reader();
  const auto execution = path::ExecutionModel::read(file);
  ASSERT_TRUE(execution) << execution.error().message;
  EXPECT_TRUE(Slowdowns(*execution).empty());
  EXPECT_EQ(replayed_time(ReplayModel(*execution), ReplayModel(*execution).measured()), measured);
}

}  // namespace
}  // namespace prof::replay
