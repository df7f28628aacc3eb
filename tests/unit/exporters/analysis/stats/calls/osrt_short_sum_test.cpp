#include "exporters/analysis/stats/calls/osrt_short_sum.hpp"

#include <fmt/format.h>

#include "exporters/analysis/stats/catalog.hpp"
#include "tests/unit/exporters/report_fixture.hpp"

namespace prof::stats {
namespace {

class OsrtShortSumTest : public test::ReportFixture {
 protected:
  using Lines = std::vector<std::string>;

  OsrtShortSumTest() {
    sql(
        fmt::format("INSERT INTO StringIds VALUES (11, 'write'), (12, 'read');"
                    "CREATE TABLE PROF_SHORT_CALLS (globalTid INTEGER, nameId INTEGER, "
                    "calls INTEGER, duration INTEGER);"
                    "INSERT INTO PROF_SHORT_CALLS VALUES ({0}, 11, 19000, 9000000), "
                    "({1}, 11, 1000, 500000), ({1}, 12, 10, 500000)",
                    test::global_id(9, 9), test::global_id(9, 10)));
  }
  Lines rows(const events::EventFilter& filter = {}) {
    auto file = reader();
    EXPECT_TRUE(events::make_views(file, filter));
    Lines all = lines(run(*find_statistic("osrt_short_sum"), file, {}));
    all.erase(all.begin());
    return all;
  }
};

TEST_F(OsrtShortSumTest, ByFunction) {
  EXPECT_EQ(rows(), (Lines{"95.0,9500000,20000,475.0,2,write", "5.0,500000,10,50000.0,1,read"}));
}

TEST_F(OsrtShortSumTest, OfAThreadButNotOfATime) {
  events::EventFilter thread;
  thread.threads = {test::global_id(9, 9)};
  EXPECT_EQ(rows(thread), (Lines{"100.0,9000000,19000,473.7,1,write"}));
  events::EventFilter time;
  time.start = 0;
  time.end = 100;
  EXPECT_TRUE(rows(time).empty());
}

TEST_F(OsrtShortSumTest, NoteBelowTheOthers) {
  EXPECT_EQ(short_calls_note(reader()).value_or("failed"),
            "20,010 shorter calls took 10.0 ms more: prof stats -r osrt_short_sum");
  sql("CREATE TABLE META_DATA_CAPTURE (name TEXT, value TEXT); INSERT INTO META_DATA_CAPTURE "
      "VALUES ('OS_RUNTIME_OPTIONS:DURATION_THRESHOLD_NS', '1000')");
  EXPECT_EQ(short_calls_note(reader()).value_or("failed"),
            "20,010 shorter calls (below 1.00 us) took 10.0 ms more: prof stats -r osrt_short_sum");
  sql("DELETE FROM PROF_SHORT_CALLS");
  EXPECT_EQ(short_calls_note(reader()).value_or("failed"), "");
}

TEST_F(OsrtShortSumTest, ImpossibleNumbersAreLeftOut) {
  sql("INSERT INTO PROF_SHORT_CALLS VALUES (1, 12, -5, 10), (1, 12, 5, NULL)");
  EXPECT_EQ(rows().size(), 2U);
}

}  // namespace
}  // namespace prof::stats
