#include "collector/prometheus/live_metrics.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "common/base/utf8.hpp"
#include "common/wire/cuda_records.hpp"

namespace prof::prometheus {
namespace {

class LiveMetricsTest : public ::testing::Test {
 protected:
  LiveMetricsTest() { metrics_.process_joined({.serial = 16}); }

  template <class Record>
  void take(Record record, wire::RecordType type, const std::string& tail = {}) {
    const std::size_t size = (sizeof record + tail.size() + 7) / 8 * 8;
    record.header.size = static_cast<std::uint16_t>(size);
    record.header.type = type;
    std::vector<std::byte> bytes(size);
    std::memcpy(bytes.data(), &record, sizeof record);
    std::memcpy(bytes.data() + sizeof record, tail.data(), tail.size());
    metrics_.take({16, 1, 0, 0, 0}, bytes);
  }
  void text(std::uint64_t hash, const std::string& text) {
    take(wire::StringRecord{{0, {}, 0, static_cast<std::uint32_t>(text.size())}, hash},
         wire::RecordType::kString, text);
  }
  void range(std::uint64_t hash, std::uint64_t ticks) {
    take(wire::NvtxPushRecord{{0, {}, wire::kNvtxHasText, 0}, 1000, hash},
         wire::RecordType::kNvtxPush);
    take(wire::NvtxPopRecord{{}, 1000 + ticks}, wire::RecordType::kNvtxPop);
  }
  bool has(const std::string& line) {
    const std::string all = metrics_.text(1'000'000'000'000);
    return all.find("\n" + line + "\n") != std::string::npos;
  }
  std::size_t count(const std::string& what) {
    const std::string all = metrics_.text(0);
    std::size_t found = 0;
    for (std::size_t at = all.find(what); at != all.npos; at = all.find(what, at + 1)) ++found;
    return found;
  }

  LiveMetrics metrics_{spool::SessionClock::tsc(2e9), "1.2"};
};

TEST_F(LiveMetricsTest, RangesAreHistograms) {
  text(5, "step");
  range(5, 20'000);           // 10 µs: the bound itself is inside
  range(5, 20'002);           // a little more
  range(5, 400'000'000'000);  // 200 s
  const std::string labels = R"({domain="",range="step")";
  EXPECT_TRUE(has("prof_range_duration_seconds_bucket" + labels + R"(,le="1e-05"} 1)"));
  EXPECT_TRUE(has("prof_range_duration_seconds_bucket" + labels + R"(,le="2.5e-05"} 2)"));
  EXPECT_TRUE(has("prof_range_duration_seconds_bucket" + labels + R"(,le="100"} 2)"));
  EXPECT_TRUE(has("prof_range_duration_seconds_bucket" + labels + R"(,le="+Inf"} 3)"));
  EXPECT_TRUE(has("prof_range_duration_seconds_count" + labels + "} 3"));
  EXPECT_TRUE(has(R"(prof_events_total{kind="nvtx"} 3)"));
}

TEST_F(LiveMetricsTest, LongNamesAreCutAndStayDifferent) {
  std::string same;
  for (int i = 0; i < 1000; ++i) same += "é\n";
  text(5, same + "a");
  text(6, same + "b");
  range(5, 20'000);
  range(6, 20'000);
  EXPECT_EQ(count("prof_range_duration_seconds_count{"), 2U);
  const std::string all = metrics_.text(0);
  EXPECT_LT(all.size(), 60'000U);
  EXPECT_TRUE(base::is_utf8(all));
}

// With --max-overhead. A weight may be the last record of its bytes.
TEST_F(LiveMetricsTest, EventsCountAsMuchAsTheyStandFor) {
  const auto weight = [&](std::uint32_t count, wire::RecordType type) {
    take(wire::WeightRecord{{0, {}, static_cast<std::uint8_t>(type), count}},
         wire::RecordType::kWeight);
  };
  text(5, "step");
  weight(7, wire::RecordType::kNvtxPush);
  range(5, 20'000);
  range(5, 20'000);
  const std::string labels = R"({domain="",range="step")";
  EXPECT_TRUE(has("prof_range_duration_seconds_bucket" + labels + R"(,le="1e-05"} 8)"));
  EXPECT_TRUE(has("prof_range_duration_seconds_sum" + labels + "} 8e-05"));
  EXPECT_TRUE(has(R"(prof_events_total{kind="nvtx"} 2)"));

  text(6, "read");
  take(wire::FunctionRecord{{0, {}, 0, 3}, 6}, wire::RecordType::kFunction);
  const auto call = [&] {
    take(wire::CallRecord{{0, {}, 0, 3}, 1000, 3000, 0}, wire::RecordType::kCall);
  };
  weight(9, wire::RecordType::kCall);
  call();
  call();
  take(
      wire::UnrecordedRecord{{0, {}, static_cast<std::uint8_t>(wire::Thinned::kCalls), 5}, 3, 1, 0},
      wire::RecordType::kUnrecorded);
  EXPECT_TRUE(has(R"(prof_calls_total{function="read"} 15)"));
  EXPECT_TRUE(has(R"(prof_call_seconds_total{function="read"} 1e-05)"));
  EXPECT_TRUE(has(R"(prof_events_total{kind="call"} 2)"));
}

TEST_F(LiveMetricsTest, NamesAreBounded) {
  for (std::uint64_t i = 1; i <= 5000; ++i) {
    text(i, "request " + std::to_string(i));
    range(i, 100);
  }
  EXPECT_EQ(count("prof_range_duration_seconds_count"), kMaxSeries + 1);
  EXPECT_TRUE(has("prof_range_duration_seconds_count{domain=\"(other)\",range=\"(other)\"} " +
                  std::to_string(5000 - kMaxSeries)));
}

TEST_F(LiveMetricsTest, NoTwoSamplesHaveTheSameLabels) {
  range(7, 100);  // two names whose texts never came
  range(8, 100);
  EXPECT_EQ(count("prof_range_duration_seconds_count"), 1U);
  EXPECT_TRUE(has(R"x(prof_range_duration_seconds_count{domain="",range="(unknown)"} 2)x"));
}

TEST_F(LiveMetricsTest, CallsLongAndShort) {
  text(9, "read");
  take(wire::FunctionRecord{{0, {}, 0, 3}, 9}, wire::RecordType::kFunction);
  take(wire::CallRecord{{0, {}, 0, 3}, 0, 2'000'000'000, 0}, wire::RecordType::kCall);
  take(wire::ShortCallsRecord{{0, {}, 0, 3}, 10, 1'000'000'000, 0, 0},
       wire::RecordType::kShortCalls);
  EXPECT_TRUE(has(R"(prof_calls_total{function="read"} 11)"));
  EXPECT_TRUE(has(R"(prof_call_seconds_total{function="read"} 1.5)"));
  EXPECT_TRUE(has(R"(prof_events_total{kind="call"} 1)"));
  EXPECT_TRUE(has(R"(prof_events_total{kind="short_call"} 10)"));
}

TEST_F(LiveMetricsTest, KernelsAndGpus) {
  text(11, "_Z5scaleIfEvPT_S0_i");
  wire::CudaDeviceRecord device{};
  device.pci_bus = 6;
  take(device, wire::RecordType::kCudaDevice);
  wire::CudaKernelRecord kernel{};
  kernel.start = 1'000'000'000;
  kernel.end = 3'000'000'000;
  kernel.name = 11;
  take(kernel, wire::RecordType::kCudaKernel);
  take(kernel, wire::RecordType::kCudaKernel);
  const std::string labels = R"x({kernel="void scale<float>(T1 *, T1, int)"})x";
  EXPECT_TRUE(has("prof_gpu_kernels_total" + labels + " 2"));
  EXPECT_TRUE(has("prof_gpu_kernel_seconds_total" + labels + " 4"));
  EXPECT_TRUE(has(R"(prof_gpu_busy_seconds_total{gpu="0000:06:00.0"} 2)"));
}

TEST_F(LiveMetricsTest, ProcessesAndDrops) {
  metrics_.process_joined({.serial = 16});  // again: a collection has begun
  metrics_.process_joined({.serial = 17, .parent_serial = 16});
  metrics_.dropped({{spool::DropCause::kNoChunk, 5}});
  metrics_.set_open_drops({{spool::DropCause::kNoChunk, 2}});
  metrics_.process_ended({.serial = 17});
  EXPECT_TRUE(has("prof_processes 1"));
  EXPECT_TRUE(has("prof_processes_total 2"));
  EXPECT_TRUE(has(R"(prof_dropped_events_total{cause="no_chunk"} 7)"));
}

TEST_F(LiveMetricsTest, RecordsOfUnknownProcessesAreIgnored) {
  metrics_.process_ended({.serial = 16});
  range(5, 100);
  EXPECT_TRUE(has(R"(prof_events_total{kind="nvtx"} 0)"));
}

}  // namespace
}  // namespace prof::prometheus
