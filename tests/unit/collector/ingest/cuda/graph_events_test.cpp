#include "collector/ingest/cuda/graph_events.hpp"

#include <string>
#include <vector>

#include "tests/unit/collector/ingest/report_fixture.hpp"

namespace prof::ingest {
namespace {

using wire::CudaGraphEvent;

class GraphEventsTest : public ReportFixture {
 protected:
  void add(CudaGraphEvent event, std::uint64_t id, std::uint64_t original = 0,
           std::uint64_t exec = 0) {
    wire::CudaGraphEventRecord record{};
    record.header = test::header<wire::CudaGraphEventRecord>(wire::RecordType::kCudaGraphEvent,
                                                             static_cast<std::uint32_t>(event));
    record.time = ++time_;
    record.id = id;
    record.original = original;
    record.exec = exec;
    records_.add(record);
  }
  // Clones the nodes with these numbers.
  void clone(std::uint64_t graph, std::uint64_t original, const std::vector<int>& numbers) {
    for (const int number : numbers)
      add(CudaGraphEvent::kNodeCloned, node(graph, number), node(original, number));
  }
  void inline_graph(std::uint64_t graph, std::uint64_t exec) {
    add(CudaGraphEvent::kGraphInlined, graph, 0, exec);
  }
  // Nodes whose originals are not of graph 1, as "GRAPH.NUMBER<GRAPH.NUMBER".
  Rows inlined() {
    add_thread(16, 100, records_);
    build();
    return rows(
        "SELECT (graphNodeId >> 32) || '.' || (graphNodeId & 0xffffffff) || '<' || "
        "(originalGraphNodeId >> 32) || '.' || (originalGraphNodeId & 0xffffffff) FROM "
        "CUDA_GRAPH_NODE_EVENTS WHERE originalGraphNodeId >> 32 > 1 ORDER BY rowid");
  }
  static std::uint64_t node(std::uint64_t graph, int number) {
    return (graph << 32) + static_cast<std::uint64_t>(number);
  }

  test::RecordBytes records_;
  std::uint64_t time_ = 0;
};

// The ids are those of nested graphs on an H200: p0 {c0 {e0 e1} c1} p1.
TEST_F(GraphEventsTest, NodesOfInnerGraphsFollowThoseOfOuterOnes) {
  clone(5, 1, {0});
  clone(6, 1, {0});
  clone(7, 1, {0, 1});
  clone(6, 1, {1, 2});
  clone(5, 1, {1, 2});
  inline_graph(6, 5);
  inline_graph(7, 5);
  EXPECT_EQ(inlined(), (Rows{"5.3<6.0", "5.4<6.1", "5.5<6.2", "5.6<7.0", "5.7<7.1"}));
}

TEST_F(GraphEventsTest, NumbersAreNotGuessedAfterNodesWereDestroyed) {
  clone(5, 1, {0, 2});
  clone(6, 1, {0});
  inline_graph(6, 5);
  clone(7, 1, {0});
  clone(8, 1, {0, 2});
  clone(9, 1, {0});
  inline_graph(9, 7);
  inline_graph(8, 7);
  clone(10, 1, {0});
  inline_graph(10, 7);  // after a graph whose size is not certain
  EXPECT_EQ(inlined(), (Rows{"7.1<9.0"}));
}

TEST_F(GraphEventsTest, GraphsThatWereNotClonedAreNotInlined) {
  clone(5, 1, {0});
  inline_graph(5, 5);
  inline_graph(6, 5);
  inline_graph(5, 6);
  clone(7, 1, {0});
  inline_graph(7, 5);
  clone(8, 1, {0, 1});
  clone(9, 1, {0});
  inline_graph(9, 8);
  inline_graph(9, 8);
  EXPECT_EQ(inlined(), (Rows{"8.2<9.0"}));
}

TEST_F(GraphEventsTest, AnExecutableGraphIsDone) {
  clone(5, 1, {0});
  clone(6, 1, {0});
  add(CudaGraphEvent::kExecCreated, 1, 0, 5);
  inline_graph(6, 5);
  EXPECT_EQ(inlined(), Rows{});
  EXPECT_EQ(rows("SELECT graphId, graphExecId FROM CUDA_GRAPH_EVENTS"), Rows{"1|5"});
}

TEST_F(GraphEventsTest, AnUpdatedNodeHasANewOriginal) {
  add(CudaGraphEvent::kNodeUpdated, node(5, 0), node(2, 0));
  EXPECT_EQ(inlined(), Rows{"5.0<2.0"});
  EXPECT_EQ(rows("SELECT value FROM StringIds JOIN CUDA_GRAPH_NODE_EVENTS ON nameId = id"),
            Rows{"Graph Node Update"});
}

// Makes the nodes with these numbers.
class GraphUpdateTest : public GraphEventsTest {
 protected:
  void make(std::uint64_t graph, const std::vector<int>& numbers) {
    for (const int number : numbers) add(CudaGraphEvent::kNodeCreated, node(graph, number));
  }
  void update_node(int number, int source) {
    add(CudaGraphEvent::kNodeUpdated, node(5, number), node(2, source));
  }
  void update() { add(CudaGraphEvent::kExecUpdated, 2, 0, 5); }
};

TEST_F(GraphUpdateTest, NodesThatAnUpdateLeavesTakeOverThoseWithTheirNumbers) {
  clone(5, 1, {0, 1, 2});
  make(2, {0, 1, 2});
  update_node(1, 1);
  update();
  update();
  EXPECT_EQ(inlined(), (Rows{"5.1<2.1", "5.0<2.0", "5.2<2.2", "5.0<2.0", "5.1<2.1", "5.2<2.2"}));
}

TEST_F(GraphUpdateTest, NodesInAnotherOrderAreNotGuessed) {
  clone(5, 1, {0, 1, 2});
  make(2, {0, 1, 2});
  update_node(1, 2);
  update();
  EXPECT_EQ(inlined(), Rows{"5.1<2.2"});
}

TEST_F(GraphUpdateTest, NodesAreNotGuessedIfTheirNumbersDiffer) {
  clone(5, 1, {0, 1, 2});
  make(2, {0, 2, 3});
  update();
  EXPECT_EQ(inlined(), Rows{});
}

TEST_F(GraphUpdateTest, NodesOfInnerGraphsKeepTheirOrigins) {
  clone(5, 1, {0});
  clone(6, 1, {0});
  inline_graph(6, 5);
  make(2, {0});
  update_node(1, 7);  // of a graph in the other one
  update();
  EXPECT_EQ(inlined(), (Rows{"5.1<6.0", "5.1<2.7", "5.0<2.0"}));
}

}  // namespace
}  // namespace prof::ingest
