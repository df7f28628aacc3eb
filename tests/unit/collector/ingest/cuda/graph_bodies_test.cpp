#include "collector/ingest/cuda/graph_bodies.hpp"

#include <cstdint>

#include "tests/unit/collector/ingest/report_fixture.hpp"

namespace prof::ingest {
namespace {

constexpr std::uint64_t kLoopGraph = 5;

// Nodes 0 and 1 of the executable graph are its own; others are of bodies.
class GraphBodiesTest : public ReportFixture {
 protected:
  void inline_body() {
    wire::CudaGraphEventRecord record{};
    record.header = test::header<wire::CudaGraphEventRecord>(
        wire::RecordType::kCudaGraphEvent,
        static_cast<std::uint32_t>(wire::CudaGraphEvent::kGraphInlined));
    record.id = 6;
    record.exec = kLoopGraph;
    records_.add(record);
  }
  template <class Record>
  static Record work(wire::RecordType type, std::uint32_t correlation, std::uint64_t start,
                     std::uint64_t node) {
    Record record{};
    record.header = test::header<Record>(type, correlation);
    record.start = start;
    record.end = start + 5;
    record.graph_node = (kLoopGraph << 32) + node;
    return record;
  }
  void kernel(std::uint32_t correlation, std::uint64_t start, std::uint64_t node) {
    records_.add(
        work<wire::CudaKernelRecord>(wire::RecordType::kCudaKernel, correlation, start, node));
  }
  // The correlation id of each kernel of a body, as "START|ID".
  Rows bodies() {
    add_thread(16, 100, records_);
    build();
    return rows(
        "SELECT start, correlationId FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE graphNodeId & 255 > 1 "
        "ORDER BY start");
  }

  test::RecordBytes records_;
};

// CUPTI reports a body after the rest of its launch, and its last kernel first.
TEST_F(GraphBodiesTest, WorkOfALoopIsOfTheLaunchBeforeIt) {
  inline_body();
  kernel(31, 100, 0);
  kernel(31, 150, 1);
  kernel(32, 200, 0);
  kernel(32, 260, 1);
  for (const std::uint64_t start : {130U, 120U, 110U, 240U, 210U}) kernel(0, start, 2);
  EXPECT_EQ(bodies(), (Rows{"110|31", "120|31", "130|31", "210|32", "240|32"}));
}

TEST_F(GraphBodiesTest, WorkAfterTheRestOfItsGraphIsOfTheLaunchBeforeIt) {
  inline_body();
  for (const std::uint32_t launch : {1U, 2U, 3U}) {
    kernel(launch, launch * 100, 0);
    kernel(0, launch * 100 + 90, 3);
  }
  EXPECT_EQ(bodies(), (Rows{"190|1", "290|2", "390|3"}));
}

TEST_F(GraphBodiesTest, WorkBeforeTheRestOfItsGraphIsOfTheLaunchAfterIt) {
  inline_body();
  for (const std::uint32_t launch : {1U, 2U, 3U}) {
    kernel(0, launch * 100, 2);
    kernel(launch, launch * 100 + 50, 0);
    kernel(0, launch * 100 + 60, 3);
  }
  kernel(0, 400, 2);  // the rest of this launch was not recorded
  EXPECT_EQ(bodies(), (Rows{"100|1", "160|1", "200|2", "260|2", "300|3", "360|3", "400|0"}));
}

TEST_F(GraphBodiesTest, CopiesAndFillsHaveLaunchesToo) {
  inline_body();
  records_.add(work<wire::CudaMemsetRecord>(wire::RecordType::kCudaMemset, 7, 100, 0))
      .add(work<wire::CudaMemsetRecord>(wire::RecordType::kCudaMemset, 0, 110, 2))
      .add(work<wire::CudaMemcpyRecord>(wire::RecordType::kCudaMemcpy, 0, 120, 3));
  bodies();
  EXPECT_EQ(rows("SELECT correlationId FROM CUPTI_ACTIVITY_KIND_MEMSET"), (Rows{"7", "7"}));
  EXPECT_EQ(rows("SELECT correlationId FROM CUPTI_ACTIVITY_KIND_MEMCPY"), Rows{"7"});
}

TEST_F(GraphBodiesTest, LaunchesOfOtherGraphsAndProcessesDoNotCount) {
  inline_body();
  kernel(0, 110, 2);
  auto other = work<wire::CudaKernelRecord>(wire::RecordType::kCudaKernel, 9, 100, 0);
  other.graph_node = (kLoopGraph + 1) << 32;
  records_.add(other);
  add_process(17, 0, 200);
  add_thread(17, 200,
             test::RecordBytes().add(
                 work<wire::CudaKernelRecord>(wire::RecordType::kCudaKernel, 8, 100, 0)));
  EXPECT_EQ(bodies(), Rows{"110|0"});
}

TEST_F(GraphBodiesTest, WorkOutsideOfBodiesStaysAsItIs) {
  kernel(31, 100, 0);
  kernel(0, 110, 2);
  EXPECT_EQ(bodies(), Rows{"110|0"});
}

}  // namespace
}  // namespace prof::ingest
