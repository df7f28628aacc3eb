#include "tests/unit/exporters/gpu_fixture.hpp"

namespace prof::stats {
namespace {

class StreamSumTest : public test::GpuFixture {};

TEST_F(StreamSumTest, WorkOfEachStream) {
  add({.start = 0, .end = 100});
  add({.start = 50, .end = 150});  // at the same time on the same stream
  add({.start = 120, .end = 180, .stream = 8});
  add({.start = 10, .end = 20, .device = 1, .pid = 8});
  create_copies();
  add_copy(150, 200, 7);
  sql(fmt::format(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start, end, deviceId, contextId, streamId, "
      "correlationId, globalPid, value, bytes, memKind);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (300,400,0,1,8,0,{0},0,64,2);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start, end, deviceId, contextId, streamId, "
      "correlationId, globalPid, graphId, graphExecId);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (180,190,0,1,8,0,{0},1,2);"
      "CREATE TABLE TARGET_INFO_NVTX_CUDA_STREAM (name, processId, deviceId, streamId);"
      "INSERT INTO TARGET_INFO_NVTX_CUDA_STREAM VALUES ('side', 9, 0, 8);",
      test::global_id(9, 0)));
  EXPECT_EQ(rows("stream_sum"), (Lines{"50.0,200,70,35.0,2,1,0,0,0,200,9,0,7,",
                                       "42.5,170,70,41.2,1,0,1,1,120,400,9,0,8,side",
                                       "100.0,10,0,0.0,1,0,0,0,10,20,8,1,7,"}));
}

}  // namespace
}  // namespace prof::stats
