#include "exporters/analysis/stats/catalog.hpp"
#include "tests/unit/exporters/report_fixture.hpp"

namespace prof::stats {
namespace {

using Lines = std::vector<std::string>;

class OpenGlSumsTest : public test::ReportFixture {
 protected:
  OpenGlSumsTest() {
    sql("CREATE TABLE KHR_DEBUG_EVENTS (eventClass, start, end, textId);"
        "INSERT INTO KHR_DEBUG_EVENTS VALUES (62,0,100,3),(62,200,400,3),(63,10,40,3),"
        "(52,50,NULL,3),(62,500,600,0);");
  }
  Lines of(const char* name) {
    const auto file = reader();
    return lines(run(*find_statistic(name), file, {}));
  }
};

TEST_F(OpenGlSumsTest, GroupsOfTheCpuAndOfTheGpu) {
  EXPECT_EQ(
      of("opengl_khr_range_sum"),
      (Lines{"Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),"
             "StdDev (ns),Range",
             "75.0,300,2,150.0,150.0,100,200,70.7,f", "25.0,100,1,100.0,100.0,100,100,0.0,zero"}));
  EXPECT_EQ(of("opengl_khr_gpu_range_sum")[1], "100.0,30,1,30.0,30.0,30,30,0.0,f");
}

TEST_F(OpenGlSumsTest, Calls) {
  sql("CREATE TABLE OPENGL_API (start, end, nameId);"
      "INSERT INTO OPENGL_API VALUES (0,30,3),(50,60,3)");
  EXPECT_EQ(of("opengl_api_sum")[1], "100.0,40,2,20.0,20.0,10,30,14.1,f");
}

}  // namespace
}  // namespace prof::stats
