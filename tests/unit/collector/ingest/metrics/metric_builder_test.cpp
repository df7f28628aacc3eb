#include "collector/ingest/metrics/metric_builder.hpp"

#include <deque>

#include "collector/metrics/metric_buffer.hpp"
#include "tests/unit/collector/ingest/report_fixture.hpp"

namespace prof::ingest {
namespace {

using spool::Counter;
using spool::CounterType;
using spool::MetricValue;

class MetricBuilderTest : public ReportFixture {
 protected:
  std::uint32_t define(const std::string& name, std::vector<Counter> counters,
                       std::optional<std::uint32_t> gpu = {}) {
    return buffer_.define(
        {.name = name, .gpu = gpu, .pid = 7, .tid = 8, .counters = std::move(counters)});
  }
  BuildSummary build_all() {
    const auto& content = kept_.emplace_back(buffer_.take());
    for (const auto& group : content.groups) note(group);
    for (const auto& piece : content.pieces)
      spool_.metric_pieces.push_back({piece.header, piece.bytes});
    return build();
  }

  metrics::MetricBuffer buffer_;
  std::deque<metrics::MetricBuffer::Content> kept_;
};

TEST_F(MetricBuilderTest, GpuMetricsHaveTheIdsOfNsys) {
  const std::uint32_t gpu = define("GPU 1",
                                   {{"GPC Clock Frequency [MHz]", CounterType::kInt64, "Hz"},
                                    {"SMs Active [Throughput %]", CounterType::kInt64, "%"}},
                                   1);
  buffer_.add(gpu, 100, {345'001'250, 0});
  buffer_.add(gpu, 200, {1'980'000'000, 98});
  EXPECT_EQ(build_all().events, 2U);
  EXPECT_EQ(rows("SELECT * FROM GPU_METRICS"),
            (Rows{"100|100|281479271677953|0|345001250", "100|100|281479271677953|1|0",
                  "200|200|281479271677953|0|1980000000", "200|200|281479271677953|1|98"}));
  EXPECT_EQ(rows("SELECT * FROM TARGET_INFO_GPU_METRICS"),
            (Rows{"281479271677953|281479271677952||0|GPC Clock Frequency [MHz]",
                  "281479271677953|281479271677952||1|SMs Active [Throughput %]"}));
  EXPECT_EQ(rows("SELECT sourceId, value, timeSourceId, sourceGroupId FROM GENERIC_EVENT_SOURCES "
                 "JOIN StringIds ON id = nameId"),
            (Rows{"281479271677952|GpuMetrics|3|0"}));
  EXPECT_EQ(rows("SELECT typeId, fieldIdx, value, unit FROM GENERIC_EVENT_TYPE_FIELDS JOIN "
                 "StringIds ON id = fieldNameId"),
            (Rows{"281479271677953|0|GPC Clock Frequency [MHz]|Hz",
                  "281479271677953|1|SMs Active [Throughput %]|%"}));
}

TEST_F(MetricBuilderTest, OtherCountersAreGenericEvents) {
  const std::uint32_t net = define("Network eth0", {{"tx_bytes", CounterType::kInt64, "bytes"},
                                                    {"rx_bytes", CounterType::kInt64, "bytes"}});
  const std::uint32_t nvml = define(
      "NVML GPU 0", {{"Power", CounterType::kUint32, "W"}, {"Load", CounterType::kDouble, "%"}});
  buffer_.add(net, 100, {-5, 6});
  buffer_.add(nvml, 150, {90U, 0.5});
  build_all();
  EXPECT_EQ(
      rows("SELECT genericEventId, timestamp, typeId, globalTid, data FROM GENERIC_EVENTS"),
      (Rows{"1|100|281492156579841|281475094151176|-", "2|150|281492156645377|281475094151176|-"}));
  EXPECT_EQ(rows("SELECT * FROM GENERIC_EVENT_DATA"),
            (Rows{"1|0|-5|-|-|-", "1|1|6|-|-|-", "2|0|-|90|-|-", "2|1|-|-|-|0.5"}));
  EXPECT_EQ(rows("SELECT typeId, sourceId, value FROM GENERIC_EVENT_TYPES JOIN StringIds ON id = "
                 "nameId"),
            (Rows{"281492156579841|281492156579840|Network eth0",
                  "281492156645377|281492156579840|NVML GPU 0"}));
  EXPECT_EQ(rows("SELECT typeId, offset, size, type FROM GENERIC_EVENT_TYPE_FIELDS"),
            (Rows{"281492156579841|0|8|0", "281492156579841|8|8|0", "281492156645377|0|4|1",
                  "281492156645377|8|8|3"}));
  EXPECT_EQ(rows("SELECT domainId, schemaId, numEntries, payloadSize, alignTo, name FROM "
                 "NVTX_PAYLOAD_SCHEMAS"),
            (Rows{"1|4294967296|2|16|8|Network eth0", "1|4294967297|2|16|8|NVML GPU 0"}));
  EXPECT_EQ(rows("SELECT schemaId, idx, type, name, description, offset FROM "
                 "NVTX_PAYLOAD_SCHEMA_ENTRIES"),
            (Rows{"4294967296|0|17|tx_bytes|bytes|0", "4294967296|1|17|rx_bytes|bytes|8",
                  "4294967297|0|16|Power|W|0", "4294967297|1|20|Load|%|8"}));
}

TEST_F(MetricBuilderTest, MissingValuesAndEarlySamplesHaveNoRows) {
  const std::uint32_t gpu = define("GPU 0", {{"A", CounterType::kInt64, ""}}, 0);
  const std::uint32_t other =
      define("disk", {{"A", CounterType::kInt64, ""}, {"B", CounterType::kInt64, ""}});
  const MetricValue values[] = {1, 2};
  buffer_.add(gpu, static_cast<std::uint64_t>(-10), {1});
  buffer_.add(other, 100, values, 1);
  build_all();
  EXPECT_EQ(rows("SELECT fieldIdx, intVal FROM GENERIC_EVENT_DATA"), (Rows{"1|2"}));
  EXPECT_EQ(rows("SELECT name FROM sqlite_master WHERE name LIKE '%GPU_METRICS'"), Rows{});
}

TEST_F(MetricBuilderTest, DamagedPiecesAreCounted) {
  const std::uint32_t group = define("disk", {{"A", CounterType::kInt64, ""}});
  buffer_.add(group, 100, {1});
  buffer_.add(group + 1, 100, {1});                           // that has no description
  buffer_.add_samples(group, 1, std::vector<std::byte>(10));  // half a sample
  EXPECT_EQ(build_all().corrupt_bytes, 24U + 10U);
  EXPECT_EQ(rows("SELECT intVal FROM GENERIC_EVENT_DATA"), (Rows{"1"}));
}

}  // namespace
}  // namespace prof::ingest
