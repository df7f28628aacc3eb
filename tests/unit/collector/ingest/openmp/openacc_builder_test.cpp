#include "collector/ingest/openmp/openacc_builder.hpp"

#include "tests/unit/collector/ingest/report_fixture.hpp"

namespace prof::ingest {
namespace {

using wire::OpenAccEvent;

class OpenAccBuilderTest : public ReportFixture {
 protected:
  wire::OpenAccRecord& add(OpenAccEvent event, std::uint64_t start, std::uint64_t end) {
    events_.push_back({test::header<wire::OpenAccRecord>(wire::RecordType::kOpenAcc, 4,
                                                         static_cast<std::uint8_t>(event)),
                       end,
                       start,
                       0,
                       1,
                       -1,
                       0,
                       0,
                       0,
                       {}});
    return events_.back();
  }
  Rows of(const std::string& table, const std::string& columns) {
    if (!is_built_) {
      for (const wire::OpenAccRecord& each : events_) records_.add(each);
      add_thread(16, 101, records_);
      EXPECT_EQ(build().events, events_.size());
      is_built_ = true;
    }
    return rows("SELECT start, end, (SELECT value FROM StringIds WHERE id = nameId), " + columns +
                " FROM CUPTI_ACTIVITY_KIND_OPENACC_" + table + " ORDER BY start");
  }

  test::RecordBytes records_;
  std::deque<wire::OpenAccRecord> events_;
  bool is_built_ = false;
};

TEST_F(OpenAccBuilderTest, EachKindHasItsTable) {
  add(OpenAccEvent::kCompute, 100, 200);
  auto& launch = add(OpenAccEvent::kLaunch, 110, 120);
  launch.sizes[0] = 8;
  launch.sizes[1] = 4;
  launch.sizes[2] = 32;
  launch.name = records_.text("kernel_7");
  auto& upload = add(OpenAccEvent::kUpload, 130, 150);
  upload.sizes[0] = 800;
  upload.name = records_.text("a");
  add(OpenAccEvent::kAlloc, 0, 160);  // a moment
  EXPECT_EQ(of("OTHER", "eventKind, DeviceType, cuDeviceId, lineNo"),
            (Rows{"100|200|Compute construct|9|4|1|0"}));
  EXPECT_EQ(of("LAUNCH",
               "numGangs, numWorkers, vectorLength, (SELECT value FROM StringIds WHERE "
               "id = kernelName)"),
            (Rows{"110|120|Enqueue launch|8|4|32|kernel_7"}));
  EXPECT_EQ(of("DATA", "bytes, (SELECT value FROM StringIds WHERE id = varName)"),
            (Rows{"130|150|Enqueue upload|800|a", "160|160|Alloc|0|"}));
  EXPECT_EQ(rows("SELECT label FROM ENUM_OPENACC_DEVICE WHERE id = 4"), (Rows{"NVIDIA"}));
}

TEST_F(OpenAccBuilderTest, WhatTheRuntimeSaysOfThePlaceComesFirst) {
  auto& update = add(OpenAccEvent::kUpdate, 100, 200);
  update.line = 12;
  update.file = records_.text("app.c");
  update.function = records_.text("solve");
  update.code = 0x1000;
  EXPECT_EQ(of("OTHER",
               "lineNo, (SELECT value FROM StringIds WHERE id = srcFile), (SELECT value "
               "FROM StringIds WHERE id = funcName)"),
            (Rows{"100|200|UPDATE|12|app.c|solve"}));
}

TEST_F(OpenAccBuilderTest, UnknownKindsAndReversedTimes) {
  add(static_cast<OpenAccEvent>(77), 300, 200);
  EXPECT_EQ(of("OTHER", "eventKind"), (Rows{"200|200|OpenACC event|77"}));
}

}  // namespace
}  // namespace prof::ingest
