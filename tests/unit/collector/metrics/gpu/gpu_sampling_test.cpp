#include "collector/metrics/gpu/gpu_sampling.hpp"

#include <gtest/gtest.h>

namespace prof::metrics {
namespace {

TEST(GpuSamplingTest, ArgumentsArriveAsTheyWereSent) {
  const SamplingRequest sent{{"0,2", 50'000, "file:my set", "/opt/libcupti.so"},
                             {"0000:06:00.0", "0000:86:00.0"}};
  const auto arrived = read_sampling_arguments(sampling_arguments(sent));
  ASSERT_TRUE(arrived);
  EXPECT_EQ(arrived->options.devices, "0,2");
  EXPECT_EQ(arrived->options.frequency, 50'000U);
  EXPECT_EQ(arrived->options.set, "file:my set");
  EXPECT_EQ(arrived->options.cupti, "/opt/libcupti.so");
  EXPECT_EQ(arrived->locations, sent.locations);
  EXPECT_FALSE(read_sampling_arguments({"all"}));
}

TEST(GpuSamplingTest, AProgramThatEndsIsReported) {
  MetricBuffer buffer;
  auto process = GpuSampling::start("/bin/true", {{"all", 10'000, "", ""}, {}}, buffer);
  ASSERT_TRUE(process);
  while (!(*process)->is_ready()) (*process)->read();
  const auto content = buffer.take();
  ASSERT_EQ(content.remarks.size(), 1U);
  EXPECT_EQ(content.remarks[0].text,
            "GPU metrics end early, because the process that samples them has ended.");
  EXPECT_FALSE(GpuSampling::start("/no/such/program", {}, buffer));
}

}  // namespace
}  // namespace prof::metrics
