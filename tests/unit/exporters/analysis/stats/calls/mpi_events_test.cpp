#include "exporters/analysis/stats/catalog.hpp"
#include "tests/unit/exporters/report_fixture.hpp"

namespace prof::stats {
namespace {

using Lines = std::vector<std::string>;

class MpiEventsTest : public test::ReportFixture {
 protected:
  MpiEventsTest() {
    const std::string thread = std::to_string(test::global_id(9, 10));
    sql("INSERT INTO StringIds VALUES (10,'MPI_Send'),(11,'MPI_Allgather'),(12,'MPI_Wait'),"
        "(13,'MPI_Init');"
        "CREATE TABLE MPI_RANKS (globalTid, rank);"
        "INSERT INTO MPI_RANKS VALUES (" +
        std::to_string(test::global_id(9, 9)) +
        ",3);"
        "CREATE TABLE MPI_P2P_EVENTS (start, end, globalTid, textId, commHandle, tag, remoteRank,"
        " size, requestHandle);"
        "INSERT INTO MPI_P2P_EVENTS VALUES (20,40," +
        thread +
        ",10,0,7,1,1000,0),"
        "(50,110," +
        thread + ",10,0,8,2,3000,0), (120,NULL," + thread +
        ",10,0,8,2,5000,0);"
        "CREATE TABLE MPI_COLLECTIVES_EVENTS (start, end, globalTid, textId, commHandle, rootRank,"
        " size, recvSize, requestHandle);"
        "INSERT INTO MPI_COLLECTIVES_EVENTS VALUES (200,300," +
        thread +
        ",11,0,0,64,256,0);"
        "CREATE TABLE MPI_START_WAIT_EVENTS (start, end, globalTid, textId, requestHandle);"
        "INSERT INTO MPI_START_WAIT_EVENTS VALUES (40,50," +
        thread +
        ",12,0);"
        "CREATE TABLE MPI_OTHER_EVENTS (start, end, globalTid, textId);"
        "INSERT INTO MPI_OTHER_EVENTS VALUES (0,10," +
        thread + ",13);");
  }
  Lines of(const char* name) {
    const auto file = reader();
    return lines(run(*find_statistic(name), file, {}));
  }
};

TEST_F(MpiEventsTest, Sum) {
  EXPECT_EQ(of("mpi_event_sum"),
            (Lines{"Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),"
                   "StdDev (ns),Source,Name",
                   "50.0,100,1,100.0,100.0,100,100,0.0,coll,MPI_Allgather",
                   "40.0,80,2,40.0,40.0,20,60,28.3,p2p,MPI_Send",
                   "5.0,10,1,10.0,10.0,10,10,0.0,other,MPI_Init",
                   "5.0,10,1,10.0,10.0,10,10,0.0,start_wait,MPI_Wait"}));
}

TEST_F(MpiEventsTest, Trace) {
  EXPECT_EQ(of("mpi_event_trace"),
            (Lines{"Start (ns),End (ns),Duration (ns),Event,Pid,Tid,Tag,Rank,PeerRank,RootRank,"
                   "Size,CollSendSize,CollRecvSize",
                   "0,10,10,MPI_Init,9,10,,3,,,,,", "20,40,20,MPI_Send,9,10,7,3,1,,1000,,",
                   "40,50,10,MPI_Wait,9,10,,3,,,,,", "50,110,60,MPI_Send,9,10,8,3,2,,3000,,",
                   "200,300,100,MPI_Allgather,9,10,,3,,0,,64,256"}));
}

TEST_F(MpiEventsTest, MessageSizes) {
  EXPECT_EQ(of("mpi_msg_size_sum"),
            (Lines{"Total Message Volume,Instances,Avg,Med,Min,Max,StdDev,Source,Name",
                   "4000,2,2000.0,2000.0,1000,3000,1414.2,p2p,MPI_Send",
                   "256,1,256.0,256.0,256,256,0.0,coll_recv,MPI_Allgather",
                   "64,1,64.0,64.0,64,64,0.0,coll_send,MPI_Allgather"}));
}

}  // namespace
}  // namespace prof::stats
