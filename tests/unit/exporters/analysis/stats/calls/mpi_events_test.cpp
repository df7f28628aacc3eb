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

class MpiCallsTest : public test::ReportFixture {
 protected:
  MpiCallsTest() {
    sql("INSERT INTO StringIds VALUES (10,'MPI_Sendrecv'),(11,'MPI_Irecv'),(12,'MPI_Waitall'),"
        "(13,'MPI_Iprobe'),(14,'MPI_Send_init'),(15,'MPI_Allreduce');"
        "CREATE TABLE MPI_P2P_EVENTS (start, end, globalTid, textId, commHandle, tag, remoteRank,"
        " size, requestHandle);"
        "CREATE TABLE MPI_COLLECTIVES_EVENTS (start, end, globalTid, textId, commHandle, rootRank,"
        " size, recvSize, requestHandle);"
        "CREATE TABLE MPI_START_WAIT_EVENTS (start, end, globalTid, textId, requestHandle);"
        "CREATE TABLE PROF_MPI_CALLS (start, end, globalTid, textId);");
  }
  void add(const char* table, std::int64_t start, std::int64_t end, int name, const char* more) {
    sql(std::string("INSERT INTO ") + table + " VALUES (" + std::to_string(start) + "," +
        std::to_string(end) + "," + std::to_string(test::global_id(9, 9)) + "," +
        std::to_string(name) + more + ");");
  }
  Lines result(const char* name = "mpi_calls") {
    const auto file = reader();
    return lines(run(*find_statistic(name), file, {}));
  }
};

TEST_F(MpiCallsTest, ProcessesHaveTimesInMpiAndOutsideOfIt) {
  sql("CREATE TABLE MPI_RANKS (globalTid, rank); INSERT INTO MPI_RANKS VALUES (" +
      std::to_string(test::global_id(9, 9)) + ",5);");
  add("MPI_P2P_EVENTS", 100, 120, 10, ",0,7,1,8000,0");
  add("MPI_P2P_EVENTS", 300, 310, 11, ",0,7,1,64,5");
  add("MPI_START_WAIT_EVENTS", 400, 500, 12, ",5");
  add("PROF_MPI_CALLS", 450, 505, 13, "");  // by another thread, at the same time
  add("MPI_COLLECTIVES_EVENTS", 800, 900, 15, ",0,NULL,64,64,0");
  EXPECT_EQ(result("mpi_ranks"),
            (Lines{"Rank,In MPI (%),Time (ns),Outside of MPI (ns),In MPI (ns),Waiting (ns),Calls,"
                   "Sent (bytes),Received (bytes),PID",
                   "5,29.4,800,565,235,120,5,8000,8064,9"}));
}

TEST_F(MpiCallsTest, CountEachCallOnce) {
  // An exchange with two rows, and one with one because both halves agree.
  add("MPI_P2P_EVENTS", 100, 100, 10, ",0,7,1,8000,0");
  add("MPI_P2P_EVENTS", 100, 120, 10, ",0,7,2,4000,0");
  add("MPI_P2P_EVENTS", 200, 260, 10, ",0,7,1,500,0");
  add("MPI_P2P_EVENTS", 300, 310, 11, ",0,7,1,64,5");
  // A call that waits for three requests.
  for (const char* request : {",5", ",6", ",7"})
    add("MPI_START_WAIT_EVENTS", 400, 500, 12, request);
  add("PROF_MPI_CALLS", 600, 605, 13, "");
  add("MPI_P2P_EVENTS", 700, 703, 14, ",0,7,1,999,8");
  add("MPI_COLLECTIVES_EVENTS", 800, 802, 15, ",0,NULL,64,64,0");
  EXPECT_EQ(
      result(),
      (Lines{"Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),"
             "StdDev (ns),Sent (bytes),Received (bytes),Name",
             "50.0,100,1,100.0,100.0,100,100,0.0,,,MPI_Waitall",
             "40.0,80,2,40.0,40.0,20,60,28.3,8500,4500,MPI_Sendrecv",
             "5.0,10,1,10.0,10.0,10,10,0.0,,64,MPI_Irecv", "2.5,5,1,5.0,5.0,5,5,0.0,,,MPI_Iprobe",
             "1.5,3,1,3.0,3.0,3,3,0.0,,,MPI_Send_init",
             "1.0,2,1,2.0,2.0,2,2,0.0,,,MPI_Allreduce"}));
}

}  // namespace
}  // namespace prof::stats
