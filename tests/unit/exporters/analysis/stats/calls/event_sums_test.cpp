#include "exporters/analysis/stats/catalog.hpp"
#include "tests/unit/exporters/report_fixture.hpp"

namespace prof::stats {
namespace {

using Lines = std::vector<std::string>;

class EventSumsTest : public test::ReportFixture {
 protected:
  Lines of(const char* name) {
    const auto file = reader();
    return lines(run(*find_statistic(name), file, {}));
  }
  void create(const std::string& table, const std::string& rows) {
    sql("CREATE TABLE " + table + " (start, end, nameId); INSERT INTO " + table + " VALUES " +
        rows + ";");
  }
};

TEST_F(EventSumsTest, OpenMpOverAllItsTables) {
  create("OPENMP_EVENT_KIND_PARALLEL", "(0,100,3),(200,400,3)");
  create("OPENMP_EVENT_KIND_TASK", "(10,110,0)");
  EXPECT_EQ(of("openmp_sum"), (Lines{"Time (%),Total Time (ns),Count,Avg (ns),Med (ns),Min (ns),"
                                     "Max (ns),StdDev (ns),Name",
                                     "75.0,300,2,150.0,150.0,100,200,70.7,f",
                                     "25.0,100,1,100.0,100.0,100,100,0.0,zero"}));
  EXPECT_EQ(of("openmpevtsum"), of("openmp_sum"));
}

// As nsys 2025.3 prints it: MUTEX_RELEASED has rows without a name.
TEST_F(EventSumsTest, OpenMpEventsWithoutANameStandBeforeOthersOfTheSameTime) {
  create("OPENMP_EVENT_KIND_MUTEX_RELEASED", "(7,7,4294967295)");
  create("OPENMP_EVENT_KIND_TASK_CREATE", "(5,5,3),(6,6,3)");
  const Lines lines = of("openmp_sum");
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[1], "0.0,0,1,0.0,0.0,0,0,0.0,");
  EXPECT_EQ(lines[2], "0.0,0,2,0.0,0.0,0,0,0.0,f");
}

TEST_F(EventSumsTest, OpenAcc) {
  create("CUPTI_ACTIVITY_KIND_OPENACC_DATA", "(0,10,3)");
  create("CUPTI_ACTIVITY_KIND_OPENACC_LAUNCH", "(0,30,3)");
  EXPECT_EQ(of("openacc_sum")[1], "100.0,40,2,20.0,20.0,10,30,14.1,f");
}

TEST_F(EventSumsTest, SystemCalls) {
  create("SYSCALL", "(0,10,3)");
  EXPECT_EQ(of("syscall_sum"), (Lines{"Time (%),Total Time (ns),Num Calls,Avg (ns),Med (ns),"
                                      "Min (ns),Max (ns),StdDev (ns),Name",
                                      "100.0,10,1,10.0,10.0,10,10,0.0,f"}));
}

}  // namespace
}  // namespace prof::stats
