// Orders of switches that the fake CUPTI does not make: several processes, and missing ends.
#include "tests/unit/collector/ingest/report_fixture.hpp"

namespace prof::ingest {
namespace {

using test::RecordBytes;
using wire::RecordType;

constexpr std::uint8_t kBegins = 1;
constexpr std::uint8_t kEnds = 2;

class ContextSwitchesTest : public ReportFixture {
 protected:
  RecordBytes switches(
      const std::vector<std::tuple<std::uint64_t, std::uint32_t, std::uint8_t>>& all) {
    RecordBytes records;
    for (const auto& [time, context, operation] : all) {
      wire::CudaContextSwitchRecord record{};
      record.header = test::header<wire::CudaContextSwitchRecord>(RecordType::kCudaContextSwitch,
                                                                  context, operation);
      record.time = time;
      records.add(record);
    }
    return records;
  }
  std::vector<std::string> table() {
    return rows(
        "SELECT seqNo, tag, globalPid >> 24 & 0xffffff, contextId, timestamp, \"end\" "
        "FROM GPU_CONTEXT_SWITCH_EVENTS ORDER BY seqNo");
  }
};

TEST_F(ContextSwitchesTest, OfTwoProcessesInTheOrderOfTheirTimes) {
  add_process(17, 0, 200);
  add_thread(16, 100, switches({{10, 1, kBegins}, {20, 1, kEnds}, {50, 1, kBegins}}));
  add_thread(17, 200, switches({{20, 1, kBegins}, {40, 1, kEnds}}));
  build();
  EXPECT_EQ(table(),
            (std::vector<std::string>{"0|9|100|1|10|20", "1|7|100|1|20|-", "2|9|200|1|20|40",
                                      "3|7|200|1|40|-", "4|9|100|1|50|-"}));
}

TEST_F(ContextSwitchesTest, TheNextBeginEndsTheContextOfAKilledProcess) {
  add_process(17, 0, 200);
  add_thread(16, 100, switches({{10, 1, kBegins}, {60, 1, kEnds}}));
  add_thread(17, 200, switches({{30, 2, kBegins}, {80, 2, kEnds}}));
  build();
  EXPECT_EQ(table(), (std::vector<std::string>{"0|9|100|1|10|30", "1|7|100|1|30|-",
                                               "2|9|200|2|30|80", "3|7|200|2|80|-"}));
}

TEST_F(ContextSwitchesTest, AContextThatWasThereBeforeTheRecordingEnds) {
  add_thread(
      16, 100,
      switches(
          {{10, 1, kEnds}, {20, 1, kEnds}, {30, 2, kBegins}, {40, 2, kBegins}, {50, 2, kEnds}}));
  build();
  EXPECT_EQ(table(),
            (std::vector<std::string>{"0|7|100|1|10|-", "1|9|100|2|30|40", "2|7|100|2|40|-",
                                      "3|9|100|2|40|50", "4|7|100|2|50|-"}));
}

}  // namespace
}  // namespace prof::ingest
