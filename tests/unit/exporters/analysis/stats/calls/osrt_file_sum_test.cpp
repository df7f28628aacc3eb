#include "exporters/analysis/stats/catalog.hpp"
#include "tests/unit/exporters/report_fixture.hpp"

namespace prof::stats {
namespace {

class OsrtFileSumTest : public test::ReportFixture {
 protected:
  using Lines = std::vector<std::string>;

  OsrtFileSumTest() {
    sql("CREATE TABLE ENUM_PROF_FILE_EVENT_TYPE (id, name, label);"
        "CREATE TABLE OSRT_FILE_ACCESS_DESCRIPTORS (fileAccessId INTEGER, processId INTEGER, "
        "openedAt INTEGER, closedAt INTEGER, filePath TEXT, descriptor INTEGER);"
        "CREATE TABLE OSRT_FILE_ACCESS_EVENTS (fileAccessId INTEGER, threadId INTEGER, "
        "startedAt INTEGER, endedAt INTEGER, eventType INTEGER, apiCallId INTEGER, "
        "bytesProcessed INTEGER, context TEXT);"
        "INSERT INTO OSRT_FILE_ACCESS_DESCRIPTORS VALUES (1,9,0,99,'/x',3),(2,8,0,99,'/x',3),"
        "(3,9,0,99,'/y',4),(4,9,0,99,'/never',5);"
        "INSERT INTO OSRT_FILE_ACCESS_EVENTS VALUES (1,9,0,10,0,1,0,''),(1,9,10,30,1,1,100,''),"
        "(2,8,10,30,2,1,300,''),(1,9,40,50,3,1,0,''),(3,9,50,90,1,1,900,''),"
        "(5,9,60,60,4,1,0,'')");
  }
  Lines rows(const Arguments& arguments = {}, const events::EventFilter& filter = {}) {
    auto file = reader();
    EXPECT_TRUE(events::make_views(file, filter));
    Lines all = lines(run(*find_statistic("osrt_file_sum"), file, arguments));
    all.erase(all.begin());
    return all;
  }
};

TEST_F(OsrtFileSumTest, ByTime) {
  EXPECT_EQ(rows(),
            (Lines{"60.0,60,4,1,100,1,300,1,10000000000,/x", "40.0,40,1,1,900,0,0,0,22500000000,/y",
                   "0.0,0,1,0,0,0,0,0,,[Unknown]"}));
}

TEST_F(OsrtFileSumTest, ByBytes) {
  Arguments arguments;
  arguments.by_bytes = true;
  const Lines found = rows(arguments);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_TRUE(found[0].ends_with(",/y"));
  EXPECT_TRUE(found[1].ends_with(",/x"));
}

TEST_F(OsrtFileSumTest, OfATimeAndAProcess) {
  events::EventFilter time;
  time.start = 35;
  time.end = 45;
  EXPECT_EQ(rows({}, time), (Lines{"100.0,10,1,0,0,0,0,0,,/x"}));
  events::EventFilter process;
  process.processes = {test::global_id(8, 0) >> 24};
  EXPECT_EQ(rows({}, process), (Lines{"100.0,20,1,0,0,1,300,0,15000000000,/x"}));
}

TEST_F(OsrtFileSumTest, ImpossibleTimesAreLeftOut) {
  sql("DELETE FROM OSRT_FILE_ACCESS_EVENTS WHERE fileAccessId <> 3;"
      "INSERT INTO OSRT_FILE_ACCESS_EVENTS VALUES (1,9,10,5,1,1,100,'')");
  EXPECT_EQ(rows(), (Lines{"100.0,40,1,1,900,0,0,0,22500000000,/y"}));
}

TEST_F(OsrtFileSumTest, WithoutATable) {
  sql("DROP TABLE OSRT_FILE_ACCESS_EVENTS");
  EXPECT_EQ(rows(), Lines{});
}

}  // namespace
}  // namespace prof::stats
