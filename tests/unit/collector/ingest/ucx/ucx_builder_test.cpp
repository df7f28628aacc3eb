#include "collector/ingest/ucx/ucx_builder.hpp"

#include "common/wire/shmem_records.hpp"
#include "tests/unit/collector/ingest/report_fixture.hpp"

namespace prof::ingest {
namespace {

class UcxBuilderTest : public ReportFixture {
 protected:
  static constexpr std::uint32_t kFunction = 1;

  UcxBuilderTest() { records_.function(kFunction, records_.text("ucp_name")); }

  void transfer(std::uint8_t flags, std::uint64_t buffer, std::int64_t bytes) {
    auto header = test::header<wire::UcpTransferRecord>(wire::RecordType::kUcpTransfer, kFunction);
    header.flags = flags;
    records_.add(wire::UcpTransferRecord{header, 100, 110, buffer, bytes, 7, 9});
  }

  test::RecordBytes records_;
};

TEST_F(UcxBuilderTest, TransfersHaveWhatIsKnown) {
  constexpr const char* kColumns =
      "SELECT bufferAddr, packedSize, peerWorkerUid, tag FROM UCP_SUBMIT_EVENTS ORDER BY rowid";
  transfer(wire::kUcpHasTag | wire::kUcpHasPeer, 4096, 10);
  transfer(0, 0, -1);
  transfer(wire::kUcpIsProgress | wire::kUcpHasTag, 4096, 20);
  records_.add(wire::UcpCallRecord{
      test::header<wire::UcpCallRecord>(wire::RecordType::kUcpCall, kFunction), 120, 130});
  records_.add(wire::UcpWorkerRecord{
      test::header<wire::UcpWorkerRecord>(wire::RecordType::kUcpWorker, 0), 77});
  add_thread(16, 101, records_);
  build();
  EXPECT_EQ(rows(kColumns), (Rows{"4096|10|9|7", "-|-|-|-"}));
  EXPECT_EQ(rows("SELECT packedSize, peerWorkerUid, tag FROM UCP_PROGRESS_EVENTS"),
            (Rows{"20|-|7"}));
  EXPECT_EQ(rows("SELECT count(*) FROM UCP_EVENTS"), (Rows{"1"}));
  EXPECT_EQ(rows("SELECT workerUid FROM UCP_WORKERS"), (Rows{"77"}));
}

TEST_F(UcxBuilderTest, CallsOfOpenShmem) {
  const auto header = test::header<wire::ShmemCallRecord>(wire::RecordType::kShmemCall, kFunction);
  records_.add(wire::ShmemCallRecord{header, 100, 110, 64, 3, 0});
  records_.add(wire::ShmemCallRecord{header, 120, 130, -1, -1, 0});
  add_thread(16, 101, records_);
  build();
  EXPECT_EQ(rows("SELECT size, peer FROM PROF_SHMEM_CALLS ORDER BY rowid"), (Rows{"64|3", "-|-"}));
}

}  // namespace
}  // namespace prof::ingest
