#include "collector/metrics/counter_source.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace prof::metrics {
namespace {

const CounterKind kLevel{"Clock", "MHz"};
const CounterKind kTotal{"Sent", "bytes", Reading::kTotal};
const CounterKind kTime{"Busy", "%", Reading::kTime, spool::CounterType::kDouble};

TEST(DerivedValue, DependsOnTheReading) {
  EXPECT_EQ(derived_value(kLevel, TotalsAs::kRates, 1, 5, 7, 2), 7);
  EXPECT_EQ(derived_value(kTotal, TotalsAs::kRates, 1, 5, 9, 2), 2);
  EXPECT_EQ(derived_value(kTotal, TotalsAs::kDifferences, 1, 5, 9, 2), 4);
  EXPECT_EQ(derived_value(kTotal, TotalsAs::kSums, 1, 5, 9, 2), 8);
  EXPECT_EQ(derived_value(kTime, TotalsAs::kSums, 0, 1, 1.5, 2), 25);
}

TEST(DerivedValue, IsUnknownWithoutTwoReadingsThatRise) {
  EXPECT_TRUE(std::isnan(derived_value(kTotal, TotalsAs::kRates, 1, kNoValue, 9, 0)));
  EXPECT_TRUE(std::isnan(derived_value(kTotal, TotalsAs::kRates, 1, 9, kNoValue, 1)));
  EXPECT_TRUE(std::isnan(derived_value(kTotal, TotalsAs::kRates, 1, 9, 5, 1)));  // it wrapped
  EXPECT_EQ(derived_value(kTime, TotalsAs::kRates, 0, 1, 3.1, 2), 100);
}

TEST(DerivedValue, HasItsUnit) {
  EXPECT_EQ(described(kLevel, TotalsAs::kRates).unit, "MHz");
  EXPECT_EQ(described(kTotal, TotalsAs::kRates).unit, "bytes/s");
  EXPECT_EQ(described(kTotal, TotalsAs::kSums).unit, "bytes");
  EXPECT_EQ(described(kTime, TotalsAs::kSums).unit, "%");
  EXPECT_EQ(described({"Events", "", Reading::kTotal}, TotalsAs::kRates).unit, "1/s");
}

class ScriptedReader final : public CounterReader {
 public:
  ScriptedReader(std::vector<CounterKind> counters, std::vector<std::vector<double>> readings)
      : readings_(std::move(readings)) {
    group_ = {"Test", "device", std::move(counters), true};
  }
  ReadOutcome read(std::span<double> values) override {
    if (at_ == readings_.size()) return ReadOutcome::kGone;
    std::ranges::copy(readings_[at_++], values.begin());
    return ReadOutcome::kRead;
  }

 private:
  std::vector<std::vector<double>> readings_;
  std::size_t at_ = 0;
};

CounterSource source_of(std::vector<CounterKind> counters,
                        std::vector<std::vector<double>> readings, TotalsAs totals) {
  return CounterSource(
      [counters, readings](MetricBuffer&) {
        CounterReaders readers;
        readers.push_back(std::make_unique<ScriptedReader>(counters, readings));
        return readers;
      },
      totals);
}

TEST(CounterSource, DescribesAndKeepsWhatChanges) {
  MetricBuffer buffer;
  CounterSource source =
      source_of({kLevel, kTotal}, {{5, 100}, {5, 100}, {5, 107}}, TotalsAs::kDifferences);
  ASSERT_TRUE(source.open(buffer));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(source.sample(buffer));
  const auto content = buffer.take();
  ASSERT_EQ(content.groups.size(), 1U);
  EXPECT_EQ(content.groups[0].name, "Test device");
  EXPECT_EQ(content.groups[0].counters[1].unit, "bytes");
  ASSERT_EQ(content.pieces.size(), 1U);
  // The first sample has no difference. The difference of the second is new, that of the third too.
  struct Sample {
    spool::MetricSample head;
    std::uint64_t values[2];
  };
  ASSERT_EQ(content.pieces[0].bytes.size(), 3 * sizeof(Sample));
  std::vector<Sample> samples(3);
  std::memcpy(samples.data(), content.pieces[0].bytes.data(), content.pieces[0].bytes.size());
  EXPECT_EQ(samples[0].head.missing, 2U);
  EXPECT_EQ(samples[0].values[0], 5U);
  EXPECT_EQ(samples[1].head.missing, 0U);
  EXPECT_EQ(samples[1].values[1], 0U);
  EXPECT_EQ(samples[2].values[1], 7U);
  EXPECT_LE(samples[0].head.time, samples[1].head.time);
}

TEST(CounterSource, LeavesOutWhatIsTheSame) {
  MetricBuffer buffer;
  CounterSource source = source_of({kLevel}, {{5}, {5}, {5}, {6}}, TotalsAs::kRates);
  ASSERT_TRUE(source.open(buffer));
  for (int i = 0; i < 4; ++i) source.sample(buffer);
  EXPECT_EQ(buffer.take().pieces.at(0).bytes.size(),
            2 * (sizeof(spool::MetricSample) + sizeof(spool::MetricValue)));
}

TEST(CounterSource, EndsWithItsDevice) {
  MetricBuffer buffer;
  CounterSource source = source_of({kLevel}, {{5}}, TotalsAs::kRates);
  ASSERT_TRUE(source.open(buffer));
  EXPECT_TRUE(source.sample(buffer));
  EXPECT_FALSE(source.sample(buffer));
  const auto content = buffer.take();
  ASSERT_EQ(content.remarks.size(), 1U);
  EXPECT_EQ(content.remarks[0].text, "device is gone: its counters end here.");
}

}  // namespace
}  // namespace prof::metrics
