#include "collector/ingest/report_builder.hpp"

#include <algorithm>

#include "tests/unit/collector/ingest/report_fixture.hpp"

namespace prof::ingest {
namespace {

using test::RecordBytes;

class ReportBuilderTest : public ReportFixture {};

TEST_F(ReportBuilderTest, CallsGetTheirNamesFromAnyThread) {
  RecordBytes naming;
  naming.function(3, naming.text("read"));
  RecordBytes calling;
  calling.call(3, 100, 250, -1).call(4, 300, 310);
  add_thread(16, 200, naming);
  add_thread(16, 100, calling);
  const auto summary = build();
  EXPECT_EQ(summary.events, 2U);
  EXPECT_EQ(rows("SELECT s.value, start, end, returnValue FROM OSRT_API JOIN StringIds s ON s.id = "
                 "nameId"),
            (Rows{"read|100|250|-1", "[Unknown]|300|310|0"}));
}

TEST_F(ReportBuilderTest, CallsOfLibrariesHaveTablesOfTheirOwn) {
  const auto function = [](std::uint32_t library, std::uint32_t number) {
    return wire::kLibraryFunctions + library * wire::kFunctionsPerLibrary + number;
  };
  RecordBytes records;
  records.function(function(1, 7), records.text("cudnnCreate"))
      .call(function(0, 0), 10, 20)
      .call(function(1, 7), 20, 30)
      .call(function(2, 2047), 30, 40)
      .call(function(3, 1), 40, 50)
      .call(function(4, 1), 50, 60)
      .call(wire::kMaxFunctions, 60, 70);
  add_thread(16, 100, records);
  EXPECT_EQ(build().events, 5U);
  EXPECT_FALSE(reader_->has_table("OSRT_API"));
  EXPECT_EQ(rows("SELECT value, start, end, eventClass FROM CUDNN_EVENTS JOIN StringIds s ON "
                 "s.id = nameId"),
            Rows{"cudnnCreate|20|30|28"});
  EXPECT_EQ(rows("SELECT start, eventClass FROM CUBLAS_EVENTS UNION SELECT start, eventClass FROM "
                 "CUSOLVER_EVENTS UNION SELECT start, eventClass FROM CUSPARSE_EVENTS UNION SELECT "
                 "start, eventClass FROM NCCL_EVENTS"),
            (Rows{"10|29", "30|1001", "40|1002", "50|1003"}));
}

TEST_F(ReportBuilderTest, EqualMatrixProductsHaveOneRow) {
  const auto product = [](std::uint64_t start, std::int64_t m, std::uint8_t compute,
                          std::uint8_t kind = 0) {
    wire::MatrixProductRecord record{};
    record.header = test::header<wire::MatrixProductRecord>(wire::RecordType::kMatrixProduct,
                                                            wire::kLibraryFunctions);
    record.header.flags = kind;
    record.start = start;
    record.end = start + 5;
    record.m = m;
    record.n = 2;
    record.k = 3;
    record.batch = 4;
    record.compute = compute;
    record.shared = wire::kSharedB;
    return record;
  };
  wire::MatrixProductRecord of_no_library = product(50, 1, 68);
  of_no_library.header.aux = wire::kLibraryFunctions + wire::kFunctionsPerLibrary;
  RecordBytes records;
  records.add(product(10, 1, 68)).add(product(20, 9, wire::kNoComputeType));
  records.add(product(30, 1, 68)).add(product(40, 1, 68, wire::kProductKinds)).add(of_no_library);
  add_thread(16, 100, records);
  EXPECT_EQ(build().events, 3U);
  EXPECT_EQ(rows("SELECT start, end, m, n, k, batchCount, ifnull(computeType, 'NULL'), sharedA, "
                 "sharedB, ifnull(epilogue, 'NULL') FROM CUBLAS_EVENTS JOIN PROF_MATRIX_PRODUCTS "
                 "ON id = productId"),
            (Rows{"10|15|1|2|3|4|68|0|1|NULL", "20|25|9|2|3|4|NULL|0|1|NULL",
                  "30|35|1|2|3|4|68|0|1|NULL"}));
  EXPECT_EQ(rows("SELECT count(*) FROM PROF_MATRIX_PRODUCTS"), Rows{"2"});
}

TEST_F(ReportBuilderTest, PiecesOfAThreadAreSortedByChunkAndOffset) {
  RecordBytes first;
  const auto a = first.text("a");
  first.push(10, a);
  RecordBytes second;
  second.pop(20);
  RecordBytes third;
  third.push(30, a).pop(40);
  add_thread(16, 100, third, 9);  // a later chunk, drained first
  add_thread(16, 100, second, 5, 64);
  add_thread(16, 100, first, 5, 0);
  build();
  EXPECT_EQ(rows("SELECT start, end FROM NVTX_EVENTS"), (Rows{"10|20", "30|40"}));
}

TEST_F(ReportBuilderTest, AReusedThreadNumberDoesNotInheritOpenRanges) {
  RecordBytes records;
  const auto a = records.text("a");
  const wire::ThreadRecord thread{test::header<wire::ThreadRecord>(wire::RecordType::kThread, 100),
                                  0, 20, 0, "worker"};
  records.add(thread).push(10, a).add(thread).pop(20);
  add_thread(16, 100, records);
  build();
  EXPECT_EQ(rows("SELECT start, end FROM NVTX_EVENTS"), Rows{"10|1000000"});
}

TEST_F(ReportBuilderTest, DropsAreReportedByProcessAndCause) {
  note(spool::ProcessEndNote{
      16, {{spool::DropCause::kNoChunk, 12}, {spool::DropCause::kReentered, 1}}});
  const auto summary = build();
  EXPECT_EQ(summary.dropped, 13U);
  EXPECT_EQ(
      rows("SELECT text FROM DIAGNOSTIC_EVENT WHERE severity = 2 ORDER BY text LIMIT 2"),
      (Rows{"1 events of process 100 were dropped: a signal handler interrupted the recording of "
            "another event.",
            "12 events of process 100 were dropped: the event buffer was full."}));
}

TEST_F(ReportBuilderTest, AnUnfinishedSessionSaysSo) {
  EXPECT_FALSE(build().complete);
  EXPECT_EQ(rows("SELECT count(*) FROM DIAGNOSTIC_EVENT WHERE text LIKE '%recovered%'"), Rows{"1"});
  note(spool::EndNote{});
  EXPECT_TRUE(build().complete);
  EXPECT_EQ(rows("SELECT count(*) FROM DIAGNOSTIC_EVENT WHERE text LIKE '%recovered%'"), Rows{"0"});
}

TEST_F(ReportBuilderTest, OneProcessRowAPidWithItsLastImage) {
  const auto note_image = [this](std::uint32_t serial, std::uint64_t time, const char* name) {
    note(spool::ProcessNote{
        .serial = serial, .pid = 100, .own_pid = 100, .time = time, .name = name});
  };
  note_image(17, 3'000'000'000, "/bin/after");
  note_image(18, 2'000'000'000, "/bin/between");  // its Hello came late
  build();
  EXPECT_EQ(rows("SELECT pid, name FROM PROCESSES"), Rows{"100|/bin/after"});
}

TEST_F(ReportBuilderTest, CorruptBytesAreCountedAndSkipped) {
  RecordBytes records;
  records.call(1, 1, 2);
  records.add(std::uint64_t{0xffffffffffffffff});
  add_thread(16, 100, records);
  EXPECT_EQ(build().corrupt_bytes, 8U);
  EXPECT_EQ(rows("SELECT count(*) FROM OSRT_API"), Rows{"1"});
}

TEST_F(ReportBuilderTest, NotesOfTheWrongShapeAreLeftOutAndCounted) {
  const std::string note = R"({"type":"process","serial":"not a number"})";
  spool_.notes.add_text(note);
  build();
  EXPECT_EQ(rows("SELECT text FROM DIAGNOSTIC_EVENT WHERE text LIKE '%skipped%'"),
            Rows{"Damaged parts of the recording were skipped: " + std::to_string(note.size()) +
                 " bytes."});
}

TEST_F(ReportBuilderTest, WithoutANoteOfTheSessionEverythingIsInTheReport) {
  spool_.notes = spool::Notes();
  spool_.notes.add_text(R"({"type":"session","capture_ranges":"not a truth value"})");
  const auto windows = report_windows(spool_);
  ASSERT_TRUE(windows);
  EXPECT_EQ(windows->windows.size(), 1U);
  EXPECT_FALSE(windows->windows[0]);
}

TEST_F(ReportBuilderTest, RangesWhoseMarksAreDamagedAreInTheReport) {
  spool_.notes.set_session({.version = "test", .capture_ranges = true});
  RecordBytes damaged, marks;
  const auto mark = [&](wire::CaptureEvent event, std::uint64_t time) {
    marks.add(
        wire::CaptureRecord{test::header<wire::CaptureRecord>(wire::RecordType::kCapture,
                                                              static_cast<std::uint32_t>(event)),
                            time});
  };
  EXPECT_TRUE(report_windows(spool_)->is_empty);
  damaged.add(std::uint64_t{0xffffffffffffffff});
  add_thread(16, 100, damaged);
  const auto all = *report_windows(spool_);
  EXPECT_FALSE(all.is_empty);
  ASSERT_EQ(all.windows.size(), 1U);
  EXPECT_FALSE(all.windows[0]);
  mark(wire::CaptureEvent::kBegin, 1000);
  mark(wire::CaptureEvent::kEnd, 2000);
  mark(wire::CaptureEvent::kEnd, 4000);
  add_thread(16, 100, marks);
  const auto both = *report_windows(spool_);
  ASSERT_EQ(both.windows.size(), 2U);
  EXPECT_EQ(both.windows[0]->begin, 1000);
  EXPECT_EQ(both.windows[0]->end, 2000);
  EXPECT_EQ(both.windows[1]->begin, 2000);
  EXPECT_EQ(both.windows[1]->end, 4000);
}

TEST_F(ReportBuilderTest, ProgressRunsFromStartToEnd) {
  RecordBytes records;
  for (int i = 0; i < 100; ++i) records.call(1, 1, 2);
  add_thread(16, 100, records, 1);
  add_thread(16, 101, records, 1);
  std::vector<double> seen;
  auto writer = *report::ReportWriter::create(directory_.file("x.db"), true);
  build_report(spool_, *writer, directory_.file("x.db"), [&](double f) { seen.push_back(f); });
  ASSERT_FALSE(seen.empty());
  EXPECT_TRUE(std::ranges::is_sorted(seen));
  EXPECT_LE(seen.front(), 0.51);
  EXPECT_NEAR(seen.back(), 1.0, 0.01);
}

TEST_F(ReportBuilderTest, EmptyRecordingStillMakesAReport) {
  build();
  EXPECT_EQ(rows("SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME"),
            Rows{"1700000000000000000"});
  EXPECT_EQ(rows("SELECT duration FROM ANALYSIS_DETAILS"), Rows{"1000000"});
  EXPECT_FALSE(reader_->has_table("OSRT_API"));
  EXPECT_FALSE(reader_->has_table("NVTX_EVENTS"));
}

}  // namespace
}  // namespace prof::ingest
