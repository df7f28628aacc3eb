#include "exporters/analysis/stats/catalog.hpp"
#include "tests/unit/exporters/report_fixture.hpp"

namespace prof::stats {
namespace {

using Lines = std::vector<std::string>;

class UcxSumsTest : public test::ReportFixture {
 protected:
  UcxSumsTest() {
    sql("INSERT INTO StringIds VALUES (10,'ucp_tag_send_nbx'),(11,'ucp_worker_create'),"
        "(12,'shmem_long_put'),(13,'shmem_quiet');"
        "CREATE TABLE UCP_SUBMIT_EVENTS (start, end, globalTid, textId, bufferAddr, packedSize,"
        " peerWorkerUid, tag);"
        "INSERT INTO UCP_SUBMIT_EVENTS VALUES (20,40,1,10,0,1000,5,7), (50,60,1,10,0,NULL,5,7);"
        "CREATE TABLE UCP_PROGRESS_EVENTS (start, end, globalTid, textId, bufferAddr, packedSize,"
        " peerWorkerUid, tag);"
        "INSERT INTO UCP_PROGRESS_EVENTS VALUES (20,80,1,10,0,1000,5,7);"
        "CREATE TABLE UCP_EVENTS (start, end, globalTid, textId);"
        "INSERT INTO UCP_EVENTS VALUES (0,10,1,11), (90,NULL,1,11);"
        "CREATE TABLE PROF_SHMEM_CALLS (start, end, globalTid, textId, size, peer);"
        "INSERT INTO PROF_SHMEM_CALLS VALUES (0,10,1,12,64,1), (10,20,1,12,32,1),"
        " (20,40,1,13,NULL,NULL);");
  }
  Lines of(const char* name) {
    const auto file = reader();
    return lines(run(*find_statistic(name), file, {}));
  }
};

TEST_F(UcxSumsTest, Times) {
  EXPECT_EQ(of("ucx_sum"),
            (Lines{"Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),"
                   "StdDev (ns),Source,Name",
                   "60.0,60,1,60.0,60.0,60,60,0.0,progress,ucp_tag_send_nbx",
                   "30.0,30,2,15.0,15.0,10,20,7.1,submit,ucp_tag_send_nbx",
                   "10.0,10,1,10.0,10.0,10,10,0.0,other,ucp_worker_create"}));
}

TEST_F(UcxSumsTest, SizesThatAreKnown) {
  EXPECT_EQ(of("ucx_msg_size_sum"),
            (Lines{"Total Message Volume,Instances,Avg,Med,Min,Max,StdDev,Source,Name",
                   "1000,1,1000.0,1000.0,1000,1000,0.0,progress,ucp_tag_send_nbx",
                   "1000,1,1000.0,1000.0,1000,1000,0.0,submit,ucp_tag_send_nbx"}));
}

TEST_F(UcxSumsTest, OpenShmem) {
  EXPECT_EQ(of("oshmem_sum").size(), 3U);
  EXPECT_EQ(of("oshmem_msg_size_sum"),
            (Lines{"Total Message Volume,Instances,Avg,Med,Min,Max,StdDev,Source,Name",
                   "96,2,48.0,48.0,32,64,22.6,oshmem,shmem_long_put"}));
}

}  // namespace
}  // namespace prof::stats
