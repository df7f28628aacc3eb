#include "collector/ingest/graphics/opengl_builder.hpp"

#include "tests/unit/collector/ingest/report_fixture.hpp"

namespace prof::ingest {
namespace {

using wire::OpenGlGroup;
using wire::RecordType;

constexpr std::uint32_t kFirstFunction =
    wire::kLibraryFunctions +
    static_cast<std::uint32_t>(wire::Library::kOpenGl) * wire::kFunctionsPerLibrary;

class OpenGlBuilderTest : public ReportFixture {
 protected:
  OpenGlBuilderTest() {
    const std::uint64_t first = records_.text("glClear");
    const std::uint64_t last = records_.text("glFinish");
    records_.function(kFirstFunction, first).function(kFirstFunction + 1, last);
    frame_ = records_.text("frame");
  }
  void call(std::uint32_t function, std::uint64_t start, std::uint64_t end,
            std::uint32_t correlation = 0) {
    records_.add(wire::OpenGlCallRecord{
        test::header<wire::OpenGlCallRecord>(RecordType::kOpenGlCall, function), start, end,
        correlation, 3});
  }
  void group(OpenGlGroup what, std::uint64_t time, std::uint32_t correlation) {
    records_.add(wire::OpenGlGroupRecord{
        test::header<wire::OpenGlGroupRecord>(RecordType::kOpenGlGroup, 33354,
                                              static_cast<std::uint8_t>(what)),
        time, what == OpenGlGroup::kPop ? 0 : frame_, 9, what == OpenGlGroup::kMark ? 33384U : 0U,
        what == OpenGlGroup::kMark ? 33387U : 0U, correlation, 3, 0});
  }
  Rows built(const std::string& sql) {
    add_thread(16, 101, records_);
    build();
    return rows(sql);
  }

  test::RecordBytes records_;
  std::uint64_t frame_ = 0;  // hash
};

TEST_F(OpenGlBuilderTest, CallsHaveAContextIfTheyHaveACorrelationId) {
  call(kFirstFunction, 100, 150, 7);
  call(kFirstFunction + 1, 200, 190);
  EXPECT_EQ(built("SELECT start, end, eventClass, correlationId, value, contextId, gpu, "
                  "endNameId, frameId, returnValue FROM OPENGL_API JOIN StringIds ON id = nameId "
                  "ORDER BY start"),
            (Rows{"100|150|2|7|glClear|3|0|-|-|0", "200|200|2|0|glFinish|-|0|-|-|0"}));
}

TEST_F(OpenGlBuilderTest, GroupsNest) {
  group(OpenGlGroup::kPush, 100, 1);
  group(OpenGlGroup::kPush, 110, 2);
  group(OpenGlGroup::kMark, 115, 3);
  group(OpenGlGroup::kPop, 120, 2);
  group(OpenGlGroup::kPop, 130, 1);
  group(OpenGlGroup::kPop, 140, 77);
  group(OpenGlGroup::kPush, 150, 4);
  EXPECT_EQ(built("SELECT eventClass, start, end, value, source, khrdType, KHR_DEBUG_EVENTS.id, "
                  "severity, correlationId, context FROM KHR_DEBUG_EVENTS JOIN StringIds ON "
                  "StringIds.id = textId ORDER BY start"),
            (Rows{"62|100|130|frame|33354|-|9|-|1|3", "62|110|120|frame|33354|-|9|-|2|3",
                  "52|115|-|frame|33354|33384|9|33387|3|3", "62|150|-|frame|33354|-|9|-|4|3"}));
  EXPECT_EQ(rows("SELECT label FROM ENUM_OPENGL_DEBUG_SOURCE WHERE id = 33354"),
            Rows{"Application"});
}

TEST_F(OpenGlBuilderTest, TimesOfTheGpuAreConverted) {
  const wire::OpenGlGpuTimes times{5'000'100, 5'000'180, 5'000'000, 1000};
  records_.add(wire::OpenGlWorkloadRecord{
      test::header<wire::OpenGlWorkloadRecord>(RecordType::kOpenGlWorkload, kFirstFunction), times,
      kFirstFunction + 1, 3, 4, 6});
  records_.add(wire::OpenGlGpuGroupRecord{
      test::header<wire::OpenGlGpuGroupRecord>(RecordType::kOpenGlGpuGroup),
      {4'999'990, 4'999'980, 5'000'000, 1000},
      frame_,
      3,
      8});
  // The clock of the GPU makes no sense.
  records_.add(wire::OpenGlGpuGroupRecord{
      test::header<wire::OpenGlGpuGroupRecord>(RecordType::kOpenGlGpuGroup),
      {std::uint64_t{1} << 60, 10, 5'000'000'000'000'000'000, 2000},
      frame_,
      3,
      9});
  EXPECT_EQ(built("SELECT start, end, eventClass, correlationId, endCorrelationId, first.value, "
                  "last.value, contextId FROM OPENGL_WORKLOAD JOIN StringIds AS first ON first.id "
                  "= nameId JOIN StringIds AS last ON last.id = endNameId"),
            Rows{"1100|1180|5|4|6|glClear|glFinish|3"});
  EXPECT_EQ(rows("SELECT eventClass, start, end, value, source, correlationId FROM "
                 "KHR_DEBUG_EVENTS JOIN StringIds ON StringIds.id = textId ORDER BY start"),
            (Rows{"63|990|990|frame|-|8", "63|2000|2000|frame|-|9"}));
}

TEST_F(OpenGlBuilderTest, WithoutEventsThereAreNoTables) {
  EXPECT_EQ(built("SELECT name FROM sqlite_schema WHERE name LIKE '%OPENGL%' OR name LIKE 'KHR%'"),
            Rows{});
}

}  // namespace
}  // namespace prof::ingest
