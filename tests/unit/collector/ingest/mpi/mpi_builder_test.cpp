#include "collector/ingest/mpi/mpi_builder.hpp"

#include "tests/unit/collector/ingest/report_fixture.hpp"

namespace prof::ingest {
namespace {

class MpiBuilderTest : public ReportFixture {
 protected:
  static constexpr std::uint32_t kFunction = 1;

  MpiBuilderTest() { records_.function(kFunction, records_.text("MPI_Name")); }

  template <class Record>
  static wire::RecordHeader header(wire::RecordType type, std::uint8_t flags = 0) {
    auto header = test::header<Record>(type, kFunction);
    header.flags = flags;
    return header;
  }
  void collective(wire::MpiShape shape, std::int64_t sent, std::int64_t received,
                  std::int32_t rank = 1, std::int32_t size = 4, std::uint8_t flags = 0) {
    records_.add(wire::MpiCollectiveRecord{
        header<wire::MpiCollectiveRecord>(
            wire::RecordType::kMpiCollective,
            static_cast<std::uint8_t>(static_cast<std::uint8_t>(shape) | flags)),
        100, 110, 7, 0, sent, received, wire::kMpiRoot, rank, size, 0});
  }
  Rows collectives() {
    add_thread(16, 101, records_);
    build();
    return rows("SELECT size, recvSize FROM MPI_COLLECTIVES_EVENTS ORDER BY rowid");
  }

  test::RecordBytes records_;
};

TEST_F(MpiBuilderTest, SizesOfCollectiveCallsAreThoseOfAllRanks) {
  collective(wire::MpiShape::kExchange, 10, 20);
  collective(wire::MpiShape::kFromRoot, 10, 20);
  collective(wire::MpiShape::kToRoot, 10, -1);
  collective(wire::MpiShape::kScan, 10, 10);
  collective(wire::MpiShape::kExscan, 10, 10);
  collective(wire::MpiShape::kSums, 10, 20);
  collective(wire::MpiShape::kSumsAtRoot, -1, 20);
  collective(wire::MpiShape::kNone, 10, 20);
  EXPECT_EQ(collectives(),
            (Rows{"40|80", "40|20", "10|-", "30|20", "20|10", "10|20", "-|20", "-|-"}));
}

TEST_F(MpiBuilderTest, InPlaceNothingIsMovedToTheRankItself) {
  for (const wire::MpiShape shape :
       {wire::MpiShape::kExchange, wire::MpiShape::kFromRoot, wire::MpiShape::kToRoot,
        wire::MpiShape::kScan, wire::MpiShape::kExscan, wire::MpiShape::kSums})
    collective(shape, 10, 20, 1, 4, wire::kMpiIsInPlace);
  EXPECT_EQ(collectives(), (Rows{"30|60", "30|20", "10|60", "20|20", "20|20", "10|20"}));
}

TEST_F(MpiBuilderTest, NoBytesAreNullAndTheRootOfAnIntercommunicatorHasANumber) {
  collective(wire::MpiShape::kFromRoot, 0, 0, 1, 4, wire::kMpiHasRoot);
  collective(wire::MpiShape::kExscan, 10, 10, 0, 4);
  EXPECT_EQ(collectives(), (Rows{"-|-", "30|-"}));
  EXPECT_EQ(rows("SELECT rootRank FROM MPI_COLLECTIVES_EVENTS ORDER BY rowid"), (Rows{"-4", "-"}));
}

TEST_F(MpiBuilderTest, ImpossibleSizesAndShapesAreNull) {
  collective(wire::MpiShape::kExchange, std::int64_t{1} << 62, 20);
  collective(wire::MpiShape::kScan, 10, 10, 5, 4);
  collective(static_cast<wire::MpiShape>(9), 10, 10);
  EXPECT_EQ(collectives(), (Rows{"-|80", "-|60", "-|-"}));
}

TEST_F(MpiBuilderTest, Messages) {
  const auto message = [this](std::uint8_t flags, std::uint64_t request, std::int64_t bytes) {
    records_.add(
        wire::MpiMessageRecord{header<wire::MpiMessageRecord>(wire::RecordType::kMpiMessage, flags),
                               100, 110, 7, request, bytes, 2, 5});
  };
  message(wire::kMpiHasPeer | wire::kMpiHasTag, 9, 80);
  message(wire::kMpiHasTag, 0, wire::kMpiNoSize);
  add_thread(16, 101, records_);
  EXPECT_EQ(build().events, 2U);
  EXPECT_EQ(rows("SELECT end - start, value, commHandle, tag, remoteRank, size, requestHandle "
                 "FROM MPI_P2P_EVENTS JOIN StringIds ON id = textId ORDER BY size IS NULL"),
            (Rows{"10|MPI_Name|7|5|2|80|9", "10|MPI_Name|7|5|-|-|-"}));
}

TEST_F(MpiBuilderTest, AWildcardHasTheSenderThatTheStatusNames) {
  const auto receipt = [this](std::uint64_t start, std::uint64_t request, std::int32_t peer = -1,
                              std::uint8_t flags = wire::kMpiIsWildcard) {
    records_.add(wire::MpiMessageRecord{
        header<wire::MpiMessageRecord>(wire::RecordType::kMpiMessage,
                                       static_cast<std::uint8_t>(flags | wire::kMpiHasPeer)),
        start, start + 1, 7, request, 80, peer, -1});
  };
  const auto request = [this](std::uint64_t start, std::uint64_t handle, std::uint8_t flags,
                              std::int32_t source) {
    records_.add(
        wire::MpiRequestRecord{header<wire::MpiRequestRecord>(wire::RecordType::kMpiRequest, flags),
                               start, start + 1, handle, source, 5});
  };
  receipt(100, 9);
  receipt(110, 10);
  request(120, 9, 0, 1);  // it is not done
  request(130, 9, wire::kMpiIsDone, 2);
  receipt(140, 9, 4);  // the handle is used again, with a wildcard as the tag only
  request(150, 9, wire::kMpiIsDone, 3);
  receipt(160, 10);  // when the one before was done is not known
  request(170, 10, wire::kMpiIsDone, -1);
  receipt(180, 10, 6, 0);
  request(190, 10, wire::kMpiIsDone, 6);
  receipt(200, 11);
  receipt(210, 11, 7, 0);
  request(220, 11, wire::kMpiIsDone, 7);
  add_thread(16, 101, records_);
  EXPECT_EQ(build().events, 13U);
  EXPECT_EQ(rows("SELECT requestHandle, remoteRank, tag FROM MPI_P2P_EVENTS ORDER BY start"),
            (Rows{"9|2|5", "10|-1|-", "9|4|5", "10|-1|5", "10|6|-", "11|-1|-", "11|7|-"}));
}

TEST_F(MpiBuilderTest, RequestsAndOtherCalls) {
  const auto call = [this](std::uint8_t flags) {
    records_.add(wire::MpiCallRecord{header<wire::MpiCallRecord>(wire::RecordType::kMpiCall, flags),
                                     100, 110});
  };
  records_.add(wire::MpiRequestRecord{header<wire::MpiRequestRecord>(wire::RecordType::kMpiRequest),
                                      100, 110, 9, -1, -1});
  call(0);
  call(wire::kMpiOwnTable);
  call(wire::kMpiOwnTable);
  add_thread(16, 101, records_);
  EXPECT_EQ(build().events, 4U);
  EXPECT_EQ(rows("SELECT requestHandle FROM MPI_START_WAIT_EVENTS"), (Rows{"9"}));
  EXPECT_EQ(rows("SELECT count(*) FROM MPI_OTHER_EVENTS"), (Rows{"1"}));
  EXPECT_EQ(rows("SELECT count(*) FROM PROF_MPI_CALLS"), (Rows{"2"}));
}

TEST_F(MpiBuilderTest, CommunicatorsAndRanks) {
  const auto communicator = [this](wire::MpiCommunicator kind, std::uint64_t comm,
                                   std::uint64_t parent, std::int32_t local, std::int32_t size,
                                   std::int32_t root) {
    records_.add(wire::MpiCommunicatorRecord{
        header<wire::MpiCommunicatorRecord>(wire::RecordType::kMpiCommunicator,
                                            static_cast<std::uint8_t>(kind)),
        100, comm, parent, 3, local, size, root});
  };
  communicator(wire::MpiCommunicator::kWorld, 7, 0, 3, 4, -1);
  communicator(wire::MpiCommunicator::kMade, 8, 7, 1, 2, 1);
  communicator(wire::MpiCommunicator::kMade, 9, 7, 0, 2, 3);
  communicator(wire::MpiCommunicator::kMade, 10, 7, 1, 2, 1);
  communicator(wire::MpiCommunicator::kCopied, 11, 8, -1, -1, -1);
  add_thread(16, 101, records_);
  build();
  EXPECT_EQ(rows("SELECT globalTid & 0xffffff, rank FROM MPI_RANKS"), (Rows{"101|3"}));
  EXPECT_EQ(rows("SELECT rank, commHandle, parentHandle, localRank, size, groupRoot, groupRootUid "
                 "FROM MPI_COMMUNICATORS ORDER BY commHandle"),
            (Rows{"3|7|0|3|4|-|-", "3|8|7|1|2|1|0", "3|9|7|0|2|3|0", "3|10|7|1|2|1|1",
                  "3|11|8|-|-|-|-"}));
  EXPECT_EQ(rows("SELECT rank, size, source, precedence FROM PROF_RANKS"), (Rows{"3|4|mpi|0"}));
}

TEST_F(MpiBuilderTest, ACommunicatorHasTheNumberThatItsFirstRankGives) {
  test::RecordBytes other;
  const auto add = [](test::RecordBytes& records, wire::MpiCommunicator kind, std::int32_t rank,
                      std::int32_t local, std::uint32_t members, std::uint64_t comm) {
    auto header =
        test::header<wire::MpiCommunicatorRecord>(wire::RecordType::kMpiCommunicator, members);
    header.flags = static_cast<std::uint8_t>(kind);
    records.add(wire::MpiCommunicatorRecord{header, 100 + comm, comm, 7, rank, local, 2,
                                            kind == wire::MpiCommunicator::kInter ? -1 : 0});
  };
  using Kind = wire::MpiCommunicator;
  add(records_, Kind::kMerged, 0, 0, 12, 8);
  add(records_, Kind::kInter, 0, 0, 0, 9);
  add(records_, Kind::kMade, 0, 0, 11, 10);
  add(records_, Kind::kMade, 0, 0, 12, 11);
  add(records_, Kind::kMade, 0, 0, 12, 12);
  add(other, Kind::kMerged, 2, 1, 12, 8);
  add(other, Kind::kMade, 2, 1, 12, 11);
  add(other, Kind::kMade, 2, 1, 12, 12);
  add_process(17, 0, 102);
  add_thread(16, 101, records_);
  add_thread(17, 102, other);
  build();
  EXPECT_EQ(rows("SELECT rank, commHandle, groupRoot, groupRootUid FROM MPI_COMMUNICATORS "
                 "ORDER BY rank, commHandle"),
            (Rows{"0|8|0|3", "0|9|-|-", "0|10|0|0", "0|11|0|1", "0|12|0|2", "2|8|0|3", "2|11|0|1",
                  "2|12|0|2"}));
}

}  // namespace
}  // namespace prof::ingest
