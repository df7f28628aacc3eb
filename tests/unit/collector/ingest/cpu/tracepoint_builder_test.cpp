#include "collector/ingest/cpu/tracepoint_builder.hpp"

#include <cstring>
#include <string>

#include "tests/unit/collector/ingest/report_fixture.hpp"
#include "tests/unit/kernel_record_bytes.hpp"

namespace prof::ingest {
namespace {

using test::KernelRecordBytes;
using Type = spool::KernelRecordType;

constexpr const char* kFormat =
    "name: made\nID: 7\nformat:\n"
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
    "\tfield:char comm[8];\toffset:8;\tsize:8;\tsigned:0;\n"
    "\tfield:short prio;\toffset:16;\tsize:2;\tsigned:1;\n"
    "\tfield:u8 cpu;\toffset:18;\tsize:1;\tsigned:0;\n"
    "\tfield:unsigned long args[6];\toffset:24;\tsize:48;\tsigned:0;\n"
    "\tfield:__data_loc char[] file;\toffset:20;\tsize:4;\tsigned:0;\n\n"
    "print fmt: \"comm=%s\", REC->comm\n";

// A record of the tracepoint that the format describes.
std::string made_record(const std::string& comm, std::int16_t prio, std::uint8_t cpu,
                        const std::string& file) {
  std::string record(72, '\0');
  record.replace(8, comm.size(), comm);
  std::memcpy(record.data() + 16, &prio, sizeof prio);
  record[18] = static_cast<char>(cpu);
  const auto place = static_cast<std::uint32_t>(file.size() + 1) << 16 | 72;
  std::memcpy(record.data() + 20, &place, sizeof place);
  return record + file + '\0';
}

class TracepointBuilderTest : public ReportFixture {
 protected:
  void build_with(const KernelRecordBytes& records) {
    spool_.notes.add(spool::TracepointsNote{{{"made/up", kFormat}, {"made/other", "format:\n"}}});
    spool_.kernel_pieces.push_back({{3, spool::KernelSource::kTracepoints}, records.bytes()});
    summary_ = build();
  }
  Rows events() {
    return rows(
        "SELECT timestamp, globalTid & 0xffffff, value, event.data FROM GENERIC_EVENTS AS event "
        "JOIN GENERIC_EVENT_TYPES USING (typeId) JOIN StringIds ON id = nameId ORDER BY timestamp");
  }
  BuildSummary summary_;
};

TEST_F(TracepointBuilderTest, ReadsFieldsByTheKernelsDescription) {
  KernelRecordBytes records;
  records.name(1, 5, 6, "worker").tracepoint(10, 5, 6, 0, made_record("task", -3, 200, "/a/b"));
  build_with(records);
  EXPECT_EQ(events(), Rows{R"(10|6|made/up|{"comm":"task","file":"/a/b"})"});
  EXPECT_EQ(rows("SELECT value, intVal, uintVal FROM GENERIC_EVENT_DATA JOIN "
                 "GENERIC_EVENT_TYPE_FIELDS USING (fieldIdx) JOIN StringIds ON id = fieldNameId"),
            (Rows{"prio|-3|-", "cpu|-|200"}));
  EXPECT_EQ(rows("SELECT ftraceFormat FROM GENERIC_EVENT_TYPES"), Rows{"\"comm=%s\", REC->comm"});
  EXPECT_EQ(rows("SELECT label FROM GENERIC_EVENT_SOURCES JOIN ENUM_NSYS_GENERIC_EVENT_GROUP ON id "
                 "= sourceGroupId"),
            Rows{"FTrace"});
  EXPECT_EQ(rows("SELECT value FROM ThreadNames JOIN StringIds ON id = nameId"), Rows{"worker"});
  EXPECT_EQ(summary_.events, 1U);
}

TEST_F(TracepointBuilderTest, ATracepointWithoutFieldsHasEvents) {
  KernelRecordBytes records;
  records.tracepoint(10, 0, 0, 1, "12345");
  records.tracepoint(20, 5, 6, 1, "");
  build_with(records);
  EXPECT_EQ(events(), (Rows{"10|0|made/other|-", "20|6|made/other|-"}));
}

TEST_F(TracepointBuilderTest, DamagedRecordsHaveNoValues) {
  KernelRecordBytes records;
  records.tracepoint(10, 5, 6, 0, "too short").tracepoint(20, 5, 6, 2, "of no tracepoint");
  build_with(records);
  EXPECT_EQ(events(), Rows{R"(10|6|made/up|{"comm":"","file":""})"});
  EXPECT_EQ(summary_.corrupt_bytes, 16U);
}

TEST_F(TracepointBuilderTest, CountsDroppedEvents) {
  KernelRecordBytes records;
  records.add(Type::kLost, 10, 5, 6, 4).tracepoint(20, 5, 6, 1, "");
  build_with(records);
  EXPECT_EQ(summary_.dropped, 4U);
  EXPECT_EQ(rows("SELECT count(*) FROM DIAGNOSTIC_EVENT WHERE text LIKE '4 events of ftrace%'"),
            Rows{"1"});
}

}  // namespace
}  // namespace prof::ingest
