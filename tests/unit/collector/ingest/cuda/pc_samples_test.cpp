// What the fake CUPTI does not make: long recordings, samples that the arena had no room for,
// contexts and processes beside each other, and pieces of cubins in any order.
#include <zlib.h>

#include "common/wire/cuda_records.hpp"
#include "tests/unit/collector/ingest/report_fixture.hpp"

namespace prof::ingest {
namespace {

using test::RecordBytes;
using wire::RecordType;

constexpr std::uint64_t kSecond = 1'000'000'000;

class PcSamplesTest : public ReportFixture {
 protected:
  void add_names(RecordBytes& records) {
    function_ = records.text("_Z1fv");
    wait_ = records.text("wait");
  }
  void add_sample(RecordBytes& records, std::uint64_t offset, std::uint32_t samples,
                  std::uint32_t not_issued = 0) {
    wire::CudaPcSampleRecord record{};
    const wire::CudaPcStall stall{wait_, samples, not_issued};
    record.header = {sizeof record + sizeof stall, RecordType::kCudaPcSample, 0, 1};
    record.cubin = 7;
    record.function = function_;
    record.offset = offset;
    records.add(record);
    records.add(stall);
  }
  void add_slice(RecordBytes& records, std::uint32_t context, std::uint64_t start,
                 std::uint64_t end, std::uint64_t total, std::uint64_t dropped = 0,
                 std::uint64_t non_user = 0, std::uint32_t period = 20) {
    wire::CudaPcSliceRecord record{};
    record.header = test::header<wire::CudaPcSliceRecord>(RecordType::kCudaPcSlice, context);
    record.start = start;
    record.end = end;
    record.total = total;
    record.dropped = dropped;
    record.non_user = non_user;
    record.device = 1;
    record.period = period;
    records.add(record);
  }
  void add_piece(RecordBytes& records, std::uint64_t at, const std::string& bytes,
                 std::uint64_t size) {
    wire::CudaCubinRecord record{};
    record.header = {static_cast<std::uint16_t>(sizeof record + bytes.size()),
                     RecordType::kCudaCubin, 0, static_cast<std::uint32_t>(bytes.size())};
    record.crc = 7;
    record.size = size;
    record.at = at;
    records.add(record);
    for (const char byte : bytes) records.add(byte);
  }
  std::uint64_t function_ = 0;
  std::uint64_t wait_ = 0;

  Rows samples() {
    return rows(
        "SELECT start, end, contextId, pcOffset, f.value, s.value, samples, notIssued "
        "FROM PROF_PC_SAMPLES JOIN StringIds f ON f.id = functionId JOIN StringIds s ON s.id = "
        "stallId ORDER BY start, contextId, pcOffset");
  }
  Rows losses() {
    return rows(
        "SELECT start, end, globalPid >> 24 & 0xffffff, deviceId, contextId, period, total, "
        "dropped, nonUser, unrecorded FROM PROF_PC_LOSSES ORDER BY start, contextId");
  }
};

TEST_F(PcSamplesTest, SamplesOfAnInstructionBecomeOneRowOfASlice) {
  RecordBytes records;
  add_names(records);
  add_sample(records, 16, 3, 1);
  add_sample(records, 32, 5);
  add_sample(records, 16, 4, 2);
  add_slice(records, 1, 100, 200, 20, 2, 6);
  add_sample(records, 16, 1);
  add_slice(records, 1, 200, 300, 1);
  add_thread(16, 100, records);
  build();
  EXPECT_EQ(samples(), (Rows{"100|200|1|16|_Z1fv|wait|7|3", "100|200|1|32|_Z1fv|wait|5|0",
                             "200|300|1|16|_Z1fv|wait|1|0"}));
  EXPECT_EQ(losses(),
            (Rows{"100|200|100|1|1|1048576|20|2|6|0", "200|300|100|1|1|1048576|1|0|0|0"}));
}

TEST_F(PcSamplesTest, ThoseWithoutRecordsAreCounted) {
  RecordBytes records;
  add_names(records);
  add_sample(records, 16, 3);
  add_slice(records, 1, 100, 200, 10, 2, 1);
  add_thread(16, 100, records);
  build();
  EXPECT_EQ(losses(), (Rows{"100|200|100|1|1|1048576|10|2|1|4"}));
  EXPECT_EQ(rows("SELECT text FROM DIAGNOSTIC_EVENT WHERE text LIKE '%event buffer was full%'"),
            (Rows{"4 PC samples were dropped because the event buffer was full. A larger "
                  "--buffer-size or a longer period (--pc-sampling) makes them fewer."}));
}

TEST_F(PcSamplesTest, SamplesOfAKilledProgramHaveNoRows) {
  RecordBytes killed, other;
  add_names(killed);
  add_sample(killed, 16, 3);
  add_slice(other, 1, 100, 200, 0, 0, 0);
  add_process(17, 0, 200);
  add_thread(16, 100, killed);
  add_thread(17, 200, other);
  build();
  EXPECT_EQ(losses(), (Rows{"100|200|200|1|1|1048576|0|0|0|0"}));
  EXPECT_EQ(rows("SELECT count(*) FROM sqlite_master WHERE name = 'PROF_PC_SAMPLES'"), Rows{"0"});
}

TEST_F(PcSamplesTest, SlicesOfALongRecordingBecomeSeconds) {
  spool_.clocks.push_back({100 * kSecond, 100 * kSecond, 0});
  RecordBytes records;
  add_names(records);
  for (std::uint64_t i = 0; i < 15; ++i) {
    add_sample(records, 16, 2);
    add_slice(records, 1, i * kSecond / 10, (i + 1) * kSecond / 10, 3, 1);
  }
  add_sample(records, 16, 1);
  add_slice(records, 1, 15 * kSecond / 10, 16 * kSecond / 10, 1, 0, 0, 21);
  add_sample(records, 48, 1);
  add_slice(records, 2, 15 * kSecond / 10, 16 * kSecond / 10, 1);
  add_thread(16, 100, records);
  build();
  EXPECT_EQ(samples(),
            (Rows{"0|1000000000|1|16|_Z1fv|wait|20|0", "1000000000|1500000000|1|16|_Z1fv|wait|10|0",
                  "1500000000|1600000000|1|16|_Z1fv|wait|1|0",
                  "1500000000|1600000000|2|48|_Z1fv|wait|1|0"}));
  EXPECT_EQ(losses(), (Rows{"0|1000000000|100|1|1|1048576|30|10|0|0",
                            "1000000000|1500000000|100|1|1|1048576|15|5|0|0",
                            "1500000000|1600000000|100|1|1|2097152|1|0|0|0",
                            "1500000000|1600000000|100|1|2|1048576|1|0|0|0"}));
}

TEST_F(PcSamplesTest, NumbersThatCannotBeTrueDoNoHarm) {
  constexpr std::uint64_t kMost = ~std::uint64_t{0};
  spool_.clocks.push_back({100 * kSecond, 100 * kSecond, 0});
  RecordBytes records;
  add_names(records);
  for (int i = 0; i < 3; ++i) {
    add_sample(records, kMost, 0xffffffff, 0xffffffff);
    add_slice(records, 1, kMost, 0, kMost / 2, kMost / 2, kMost, 0xffffffff);
  }
  add_thread(16, 100, records);
  build();
  EXPECT_FALSE(losses().empty());
}

TEST_F(PcSamplesTest, PiecesOfACubinInAnyOrderAndTwice) {
  const std::string first(16, 'a'), second(8, 'b');
  RecordBytes one, other;
  add_piece(one, 16, second, 24);
  add_piece(other, 0, first, 24);
  add_piece(other, 16, second, 24);
  add_process(17, 0, 200);
  add_thread(16, 100, one);
  add_thread(17, 200, other);
  build();
  const Rows found = rows("SELECT crc, size, hex(content) FROM PROF_CUBINS");
  ASSERT_EQ(found.size(), 1U);
  ASSERT_EQ(found[0].substr(0, 5), "7|24|");
  std::string packed;
  for (std::size_t i = 5; i < found[0].size(); i += 2)
    packed += static_cast<char>(std::stoi(found[0].substr(i, 2), nullptr, 16));
  std::string bytes(24, '\0');
  uLongf size = bytes.size();
  ASSERT_EQ(uncompress(reinterpret_cast<Bytef*>(bytes.data()), &size,
                       reinterpret_cast<const Bytef*>(packed.data()), packed.size()),
            Z_OK);
  EXPECT_EQ(bytes, first + second);
}

TEST_F(PcSamplesTest, APartOfACubinIsNotWritten) {
  RecordBytes records;
  add_piece(records, 0, std::string(16, 'a'), 24);
  add_piece(records, 0, std::string(16, 'a'), 24);
  add_piece(records, 8, std::string(8, 'b'), 24);
  add_thread(16, 100, records);
  build();
  EXPECT_EQ(rows("SELECT count(*) FROM sqlite_master WHERE name = 'PROF_CUBINS'"), Rows{"0"});
}

}  // namespace
}  // namespace prof::ingest
