#include "collector/metrics/polling_thread.hpp"

#include <gtest/gtest.h>

#include <atomic>

namespace prof::metrics {
namespace {

using std::chrono::milliseconds;

// Samples a counter that counts its samples.
class Counting final : public PolledSource {
 public:
  Counting(std::atomic<int>& samples, bool opens, int most)
      : samples_(samples), opens_(opens), most_(most) {}
  bool open(MetricBuffer& buffer) override {
    group_ = buffer.define({.name = "test", .counters = {{"samples"}}});
    return opens_;
  }
  bool sample(MetricBuffer& buffer) override {
    buffer.add(group_, now(), {++samples_});
    samples_.notify_all();
    return samples_ < most_;
  }

 private:
  std::atomic<int>& samples_;
  const bool opens_;
  const int most_;
  std::uint32_t group_ = 0;
};

void wait_for(std::atomic<int>& samples, int wanted) {
  for (int now = samples; now < wanted; now = samples) samples.wait(now);
}

TEST(PollingThreadTest, SamplesUntilItIsStoppedAndOnceMore) {
  MetricBuffer buffer;
  std::atomic<int> samples = 0;
  PollingThread thread(buffer);
  thread.add(std::make_unique<Counting>(samples, true, 1'000'000), milliseconds(1));
  thread.start();
  wait_for(samples, 3);
  const int before = samples;
  thread.stop();
  EXPECT_GT(samples, before);
  const auto content = buffer.take();
  ASSERT_EQ(content.pieces.size(), 1U);
  EXPECT_EQ(content.pieces[0].bytes.size(), 24U * static_cast<std::size_t>(samples.load()));
}

TEST(PollingThreadTest, EndsWithItsSources) {
  MetricBuffer buffer;
  std::atomic<int> never = 0, twice = 0;
  PollingThread thread(buffer);
  thread.add(std::make_unique<Counting>(never, false, 10), milliseconds(1));
  thread.add(std::make_unique<Counting>(twice, true, 2), milliseconds(1));
  thread.start();
  wait_for(twice, 2);
  thread.stop();
  EXPECT_EQ(never, 0);
  EXPECT_EQ(twice, 2);
}

}  // namespace
}  // namespace prof::metrics
