#include "exporters/analysis/stats/catalog.hpp"
#include "tests/unit/exporters/report_fixture.hpp"

namespace prof::stats {
namespace {

using Lines = std::vector<std::string>;

class OpenMpRegionsTest : public test::ReportFixture {
 protected:
  OpenMpRegionsTest() {
    for (const char* table : {"PARALLEL", "TASK", "SYNC_REGION"})
      sql(std::string("CREATE TABLE OPENMP_EVENT_KIND_") + table +
          " (start, end, globalTid, parallelId, parentTaskId, kind, codeId)");
  }
  void add(const char* table, int start, int end, int tid, int parallel, int kind,
           const char* code = "NULL") {
    sql(std::string("INSERT INTO OPENMP_EVENT_KIND_") + table + " VALUES (" +
        std::to_string(start) + "," + std::to_string(end) + "," +
        std::to_string(test::global_id(9, tid)) + "," + std::to_string(parallel) + ",0," +
        std::to_string(kind) + "," + code + ")");
  }
  // A region of two threads that work for 20 and for 80 ns. The second waits in its barrier until
  // 500.
  void add_region(const char* code) {
    add("PARALLEL", 100, 200, 1, 2, 0, code);
    add("TASK", 100, 200, 1, 2, 2);
    add("SYNC_REGION", 120, 200, 1, 2, 2);
    add("TASK", 100, 500, 2, 2, 2);
    add("SYNC_REGION", 180, 500, 2, 2, 2);
  }
  Lines regions() {
    const auto file = reader();
    return lines(run(*find_statistic("openmp_regions"), file, {}));
  }
  static constexpr const char* kHeader =
      "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Threads,"
      "Imbalance (%),Barriers (%),Region,Function";
};

TEST_F(OpenMpRegionsTest, WaitsEndWithTheirRegion) {
  add_region("NULL");
  EXPECT_EQ(regions(),
            (Lines{kHeader, "100.0,100,1,100.0,100.0,100,100,0.0,2,37.5,50.0,[Unknown],"}));
}

TEST_F(OpenMpRegionsTest, TasksInBarriersAreWork) {
  add_region("1");
  // The first thread does a task in its barrier.
  sql("DELETE FROM OPENMP_EVENT_KIND_TASK WHERE start = 100 AND end = 200");
  sql("DELETE FROM OPENMP_EVENT_KIND_SYNC_REGION WHERE start = 120");
  add("TASK", 100, 130, 1, 2, 2);
  add("SYNC_REGION", 120, 130, 1, 2, 2);
  add("TASK", 130, 190, 1, 2, 4);
  add("TASK", 190, 200, 1, 2, 2);
  add("SYNC_REGION", 191, 200, 1, 2, 2);
  sql("INSERT INTO StringIds VALUES (20,'/src/app.c'),(21,'solve'),(22,'/bin/app');"
      "CREATE TABLE PROF_OPENMP_CODE (id, function, file, line, module, fileOffset);"
      "INSERT INTO PROF_OPENMP_CODE VALUES (1,21,20,12,22,100)");
  EXPECT_EQ(regions(), (Lines{kHeader,
                              "100.0,100,1,100.0,100.0,100,100,0.0,2,0.6,19.5,app.c:12,"
                              "solve"}));
}

TEST_F(OpenMpRegionsTest, SeveralRegionsAtTwoPlaces) {
  add_region("1");
  add("PARALLEL", 600, 700, 1, 3, 0, "1");  // no thread did anything that was recorded
  add("PARALLEL", 800, 1100, 1, 4, 0, "2");
  add("TASK", 800, 1100, 1, 4, 2);
  sql("INSERT INTO StringIds VALUES (21,'solve'),(22,'/bin/app');"
      "CREATE TABLE PROF_OPENMP_CODE (id, function, file, line, module, fileOffset);"
      "INSERT INTO PROF_OPENMP_CODE VALUES (1,21,NULL,NULL,22,100),(2,NULL,NULL,NULL,22,NULL)");
  EXPECT_EQ(regions(), (Lines{kHeader, "60.0,300,1,300.0,300.0,300,300,0.0,1,0.0,0.0,app,",
                              "40.0,200,2,100.0,100.0,100,100,0.0,2,37.5,50.0,solve,solve"}));
}

TEST_F(OpenMpRegionsTest, BarriersByPlaceAndRegion) {
  add_region("1");
  sql("ALTER TABLE OPENMP_EVENT_KIND_SYNC_REGION ADD COLUMN nameId;"
      "UPDATE OPENMP_EVENT_KIND_SYNC_REGION SET nameId = 23, codeId = 2;"
      "INSERT INTO StringIds VALUES (20,'/src/app.c'),(22,'/bin/app'),(23,'Implicit Barrier');"
      "CREATE TABLE PROF_OPENMP_CODE (id, function, file, line, module, fileOffset);"
      "INSERT INTO PROF_OPENMP_CODE VALUES (1,NULL,20,12,22,100),(2,NULL,20,15,22,120)");
  const auto file = reader();
  EXPECT_EQ(lines(run(*find_statistic("openmp_barriers"), file, {})),
            (Lines{"Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),"
                   "StdDev (ns),Threads,Barrier,Place,Region",
                   "100.0,100,2,50.0,50.0,20,80,42.4,2,Implicit Barrier,app.c:15,app.c:12"}));
}

}  // namespace
}  // namespace prof::stats
