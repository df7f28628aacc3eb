#include "injection/core/thinning/streams.hpp"

#include <cmath>
#include <map>

#include "collector/spool/decoder.hpp"
#include "common/wire/hash.hpp"
#include "injection/core/clock.hpp"
#include "tests/unit/injection/core/session_fixture.hpp"

namespace prof::core {

namespace {

constexpr std::uint64_t kUs = 1000;  // clock units

class StreamsTest : public SessionFixture {
 protected:
  StreamsTest() : SessionFixture({64, 64}) {
    g_process.features |= wire::kFeatureThinning;
    g_process.wipe_on_fork = true;
    g_process.config.max_overhead = 1000;  // 0.1 %
    g_process.config.thinning_period = 10'000 * kUs;
    set_up(t_state);
  }
  ~StreamsTest() override { end_thinning_here(); }

  // As a wrapper does it. Returns whether the call was recorded.
  bool call(Function function, std::uint64_t duration) {
    if (leaves_out(function)) return false;
    const std::uint64_t end = now();  // not in the future, which would be no time for a decision
    record_thinned_call({end - duration, 0, 0}, end, function, 0);
    return true;
  }

  // Sums of weights by function, of weighted durations, and of the weights' squares.
  struct Sum {
    std::uint64_t events = 0, time = 0, records = 0;
    double squares = 0;
  };
  std::map<std::uint64_t, Sum> sums() {
    struct Visitor {
      std::map<std::uint64_t, Sum> sums;
      std::uint64_t next = 1;
      void operator()(const wire::WeightRecord& record) { next = record.header.aux; }
      void operator()(const wire::CallRecord& record) {
        Sum& sum = sums[record.header.aux];
        sum.events += next;
        sum.time += next * (record.end - record.start);
        sum.squares += static_cast<double>(next) * static_cast<double>(next);
        ++sum.records;
        next = 1;
      }
      void operator()(const wire::UnrecordedRecord& record) {
        sums[record.what].events += record.header.aux;
      }
    } visitor;
    for (const auto& [thread, bytes] : drain()) spool::decode(bytes, visitor);
    return visitor.sums;
  }
};

TEST_F(StreamsTest, WeightsAddUpToTheNumberOfCalls) {
  const Function often{1, "often"}, seldom{2, "seldom"};
  constexpr std::uint64_t kCalls = 100'000;
  std::uint64_t recorded = 0;
  for (std::uint64_t i = 0; i < kCalls; ++i) {
    recorded += call(often, 1 * kUs) ? 1 : 0;
    if (i % 100 == 0) call(seldom, 3 * kUs);
  }
  end_thinning_here();
  auto found = sums();
  EXPECT_EQ(found[1].events, kCalls);
  EXPECT_EQ(found[2].events, kCalls / 100);
  EXPECT_EQ(found[1].records, recorded);
  EXPECT_LT(recorded, kCalls / 2);
}

// Calls that are a thousand times as long are not left out for the sake of short ones.
TEST_F(StreamsTest, LongCallsAreRecordedRatherThanShortOnes) {
  const Function quick{1, "quick"}, slow{2, "slow"};
  g_process.config.max_overhead = 100'000;  // 10 %
  constexpr std::uint64_t kSlow = 500;
  const auto run = [&] {
    for (std::uint64_t i = 0; i < kSlow * 200; ++i) {
      call(quick, kUs / 10);
      if (i % 200 == 0) call(slow, 1000 * kUs);
    }
  };
  run();
  sums();  // of the time before the first decision
  run();
  end_thinning_here();
  auto found = sums();
  // Of the 200 times as many quick calls, less than 40 times as many are recorded.
  EXPECT_GT(found[2].records * 40, found[1].records);
}

// A period of the program that equals a fixed distance between records would be the worst case.
TEST_F(StreamsTest, PeriodsAreNotSampledInStep) {
  const Function function{1, "periodic"};
  constexpr std::uint64_t kCalls = 400'000, kPeriod = 8;
  std::uint64_t time = 0;
  for (std::uint64_t i = 0; i < kCalls; ++i) {
    const std::uint64_t duration = i % kPeriod == 0 ? 9 * kUs : 1 * kUs;
    time += duration;
    call(function, duration);
  }
  end_thinning_here();
  const Sum found = sums()[1];
  EXPECT_EQ(found.events, kCalls);
  ASSERT_GT(found.records, 100U);
  // Five times the standard error: on a busy machine few records stand for most of the calls.
  constexpr double kDeviation = 2.65 * kUs;  // of the durations
  EXPECT_NEAR(static_cast<double>(found.time), static_cast<double>(time),
              5 * kDeviation * std::sqrt(found.squares));
}

TEST_F(StreamsTest, CallsThatNoCountdownChoseStandForThemselves) {
  const Function function{3, "lock"};
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t end = now();
    record_thinned_call({end - kUs, 0, 0}, end, function, 0);
  }
  end_thinning_here();
  EXPECT_EQ(sums()[3].records, 1000U);
}

TEST_F(StreamsTest, TextsOfRangesHaveTheirOwnCountdowns) {
  std::uint64_t events[2] = {0, 0};
  char text[32] = "first";
  for (int i = 0; i < 50'000; ++i) {
    text[0] = i % 2 == 0 ? 'f' : 'F';  // the same address
    std::uint32_t stream = 0;
    if (leaves_range_out(0, {text, 0}, stream)) continue;
    const std::uint32_t weight = weight_of_range(stream);
    events[i % 2] += weight;
    range_done(stream, weight, kUs, now());
  }
  end_thinning_here();
  auto found = sums();
  EXPECT_EQ(events[0] + found[wire::hash_text("first", 5)].events, 25'000U);
  EXPECT_EQ(events[1] + found[wire::hash_text("First", 5)].events, 25'000U);
}

}  // namespace

}  // namespace prof::core
