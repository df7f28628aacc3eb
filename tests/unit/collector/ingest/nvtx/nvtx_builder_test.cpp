#include "collector/ingest/nvtx/nvtx_builder.hpp"

#include "tests/unit/collector/ingest/report_fixture.hpp"

namespace prof::ingest {
namespace {

using test::RecordBytes;
using wire::RecordType;

constexpr char kRanges[] =
    "SELECT start, end, text, domainId, globalTid & 0xffffff FROM NVTX_EVENTS "
    "WHERE eventType IN (59, 60) ORDER BY start";

class NvtxBuilderTest : public ReportFixture {
 protected:
  static wire::NvtxEventRecord event(RecordType type, std::uint64_t time, std::uint64_t text,
                                     std::uint64_t range = 0, std::uint32_t domain = 0) {
    wire::NvtxEventRecord record{};
    record.header = test::header<wire::NvtxEventRecord>(type, domain, wire::kNvtxHasText);
    record.time = time;
    record.text = text;
    record.range_id = range;
    return record;
  }
  static wire::NvtxEndRecord end(std::uint64_t time, std::uint64_t range) {
    return {test::header<wire::NvtxEndRecord>(RecordType::kNvtxEnd), time, range};
  }
  static wire::NvtxDomainRecord domain(std::uint32_t id, std::uint64_t name) {
    return {test::header<wire::NvtxDomainRecord>(RecordType::kNvtxDomain, id), 1, name};
  }
};

TEST_F(NvtxBuilderTest, PairsPushesAndPopsByDomain) {
  RecordBytes records;
  const auto a = records.text("a");
  const auto b = records.text("b");
  const auto c = records.text("c");
  records.push(10, a).push(20, b, 1).push(30, c).pop(40, 1).pop(50).pop(60);
  add_thread(16, 100, records);
  build();
  EXPECT_EQ(rows(kRanges), (Rows{"10|60|a|0|100", "20|40|b|1|100", "30|50|c|0|100"}));
}

TEST_F(NvtxBuilderTest, RangesAroundNodesOfGraphsAreNotEvents) {
  RecordBytes records;
  const auto range = [](std::uint64_t start, std::uint64_t end, std::uint64_t text) {
    return wire::NvtxGraphRangeRecord{
        test::header<wire::NvtxGraphRangeRecord>(RecordType::kNvtxGraphRange, 1,
                                                 text == 0 ? 0 : wire::kNvtxHasText),
        start, end, text};
  };
  const auto a = records.text("a");
  records.add(range(10, 0, a)).add(range(20, 0, 0)).add(range(20, 30, 0)).push(40, a).pop(50);
  add_thread(16, 100, records);
  build();
  EXPECT_EQ(rows("SELECT start, end, domainId, value FROM PROF_GRAPH_RANGES LEFT JOIN StringIds ON "
                 "id = textId ORDER BY start"),
            (Rows{"10|1000000|1|a", "20|30|1|-"}));
  EXPECT_EQ(rows(kRanges), Rows{"40|50|a|0|100"});
}

TEST_F(NvtxBuilderTest, OpenRangesEndWithTheRecordingAndStrayPopsAreCounted) {
  RecordBytes records;
  const auto open = records.text("open");
  records.pop(5).push(10, open);
  add_thread(16, 100, records);
  build();
  EXPECT_EQ(rows(kRanges), Rows{"10|1000000|open|0|100"});
  EXPECT_EQ(
      rows("SELECT count(*) FROM DIAGNOSTIC_EVENT WHERE text LIKE '%without a range to pop: 1.'"),
      Rows{"1"});
}

TEST_F(NvtxBuilderTest, StartAndEndMeetAcrossThreadsInEitherOrder) {
  RecordBytes starts;
  const auto first = starts.text("first");
  const auto second = starts.text("second");
  starts.add(event(RecordType::kNvtxStart, 10, first, 1))
      .add(event(RecordType::kNvtxStart, 20, second, 2));
  RecordBytes ends;
  ends.add(end(30, 1)).add(end(40, 2)).add(end(50, 3));
  add_thread(16, 200, starts);
  add_thread(16, 100, ends);  // built before the starts: lower tid
  build();
  EXPECT_EQ(rows("SELECT start, end, text, rangeId, globalTid & 0xffffff, endGlobalTid & 0xffffff "
                 "FROM NVTX_EVENTS ORDER BY start"),
            (Rows{"10|30|first|1|200|100", "20|40|second|2|200|100"}));
  EXPECT_EQ(rows("SELECT count(*) FROM DIAGNOSTIC_EVENT WHERE text LIKE '%not started in the same "
                 "process: 1.'"),
            Rows{"1"});
}

TEST_F(NvtxBuilderTest, SameRangeIdInTwoProcessesIsTwoRanges) {
  add_process(17, 16, 101);
  RecordBytes parent;
  parent.add(event(RecordType::kNvtxStart, 10, parent.text("parent"), 1)).add(end(20, 1));
  RecordBytes child;
  child.add(event(RecordType::kNvtxStart, 11, child.text("child"), 1)).add(end(21, 1));
  add_thread(16, 100, parent);
  add_thread(17, 101, child);
  build();
  EXPECT_EQ(rows(kRanges), (Rows{"10|20|parent|0|100", "11|21|child|0|101"}));
}

TEST_F(NvtxBuilderTest, ForkChildrenInheritWhatTheyUse) {
  add_process(17, 16, 101);
  add_process(18, 17, 102);
  RecordBytes parent;
  const auto used = parent.text("used");
  const auto unused = parent.text("unused");
  parent.add(domain(1, used)).add(domain(2, unused));
  RecordBytes grandchild;
  const auto text = grandchild.text("work");
  grandchild.push(100, text, 1).pop(110, 1);
  add_thread(16, 100, parent);
  add_thread(18, 102, grandchild);
  build();
  EXPECT_EQ(rows("SELECT globalTid >> 24 & 0xffffff, text, domainId FROM NVTX_EVENTS "
                 "WHERE eventType = 75 ORDER BY 1, 3"),
            (Rows{"100|used|1", "100|unused|2", "102|used|1"}));
}

TEST_F(NvtxBuilderTest, ImagesThatAreEachOthersParentsAreSurvived) {
  add_process(17, 18, 101);
  add_process(18, 17, 102);
  RecordBytes records;
  records.push(1, records.text("x"), 9).pop(2, 9);
  add_thread(17, 101, records);
  build();
  EXPECT_EQ(rows(kRanges), Rows{"1|2|x|9|101"});
}

}  // namespace
}  // namespace prof::ingest
