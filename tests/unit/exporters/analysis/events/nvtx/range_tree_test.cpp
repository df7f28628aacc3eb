#include "exporters/analysis/events/nvtx/range_tree.hpp"

#include "exporters/analysis/stats/catalog.hpp"
#include "tests/unit/exporters/report_fixture.hpp"

namespace prof::events {
namespace {

using Lines = std::vector<std::string>;

class RangeTreeTest : public test::ReportFixture {
 protected:
  RangeTreeTest() { create_ranges(); }
  Lines of(const char* name, RangeOf range_of = RangeOf::kBoth) {
    const auto file = reader();
    stats::Arguments arguments;
    arguments.kernels.range_of = range_of;
    return lines(stats::run(*stats::find_statistic(name), file, arguments));
  }
};

TEST_F(RangeTreeTest, RangesOfTwoDomainsOverlap) {
  add_range(0, "100", 9, "outer");
  add_range(10, "50", 9, "first");
  add_range(40, "90", 9, "second");
  add_range(45, "50", 9, "in second");
  add_range(20, "30", 8, "of another thread");
  const auto file = reader();
  const auto tree = RangeTree::read(file);
  ASSERT_TRUE(tree);
  Lines stacks;
  for (const auto& range : tree->ranges())
    stacks.push_back(tree->name_of(range) + ' ' + tree->id_path(range));
  EXPECT_EQ(stacks, (Lines{":of another thread :5", ":outer :1", ":first :1:2", ":second :1:3",
                           ":in second :1:3:4"}));
}

TEST_F(RangeTreeTest, FindsInnermostRangesOfThreadsInTurn) {
  for (int i = 0; i < 10; ++i)
    for (const int thread : {7, 9})
      add_range(100 * i, std::to_string(100 * i + 50), thread, "range");
  const auto file = reader();
  const auto tree = RangeTree::read(file);
  RangeTree::Near near;
  for (const int i : {3, 4, 9, 0, 5})
    for (const int thread : {9, 7, 8}) {
      const std::int64_t tid = test::global_id(thread, thread);
      const std::int32_t expected = thread == 8 ? RangeTree::kNone : thread == 7 ? i : 10 + i;
      EXPECT_EQ(tree->innermost(tid, 100 * i + 10, near), expected);
      EXPECT_EQ(tree->innermost(tid, 100 * i + 60, near), RangeTree::kNone);
      EXPECT_EQ(tree->innermost(tid, -1, near), RangeTree::kNone);
    }
}

TEST_F(RangeTreeTest, LevelsAreLimited) {
  constexpr auto kMaximum = static_cast<std::int32_t>(RangeTree::kMaxLevels);
  std::string all;
  for (int i = 0; i < kMaximum + 10; ++i)
    all += (i > 0 ? ",(" : "(") + std::to_string(i) + ',' + std::to_string(10'000 - i) +
           ",59,'deep',NULL," + std::to_string(test::global_id(9, 9)) + ",0,NULL)";
  sql("INSERT INTO NVTX_EVENTS VALUES " + all);
  const auto file = reader();
  const auto tree = RangeTree::read(file);
  ASSERT_TRUE(tree);
  EXPECT_EQ(tree->ranges().back().level, kMaximum);
  EXPECT_EQ(tree->ranges().back().parent, kMaximum - 1);
  EXPECT_EQ(tree->innermost(test::global_id(9, 9), 5000), kMaximum + 9);
}

TEST_F(RangeTreeTest, AStartEndRangeIsNotInnermost) {
  add_range(0, "100", 9, "around");
  add_range(10, "90", 9, "started");
  sql("UPDATE NVTX_EVENTS SET eventType = 60 WHERE text = 'started';");
  const auto file = reader();
  const auto tree = RangeTree::read(file);
  EXPECT_EQ(tree->innermost(test::global_id(9, 9), 50), 0);
  EXPECT_EQ(tree->innermost(test::global_id(8, 8), 50), RangeTree::kNone);
}

TEST_F(RangeTreeTest, EndedOnAnotherThread) {
  add_range(0, "100", 9, "moved");
  sql("UPDATE NVTX_EVENTS SET eventType = 60, endGlobalTid = 5 WHERE text = 'moved';");
  const auto file = reader();
  EXPECT_TRUE(RangeTree::read(file)->ranges().empty());
  EXPECT_EQ(of("nvtx_startend_sum").size(), 2U);
}

TEST_F(RangeTreeTest, RangesThatNeverEndCountUpToTheLatestTime) {
  add_range(10, "NULL", 9, "open");
  add_range(20, "NULL", 9, "open start");
  add_range(30, "40", 9, "ended");
  add_range(90, "NULL", 9, "mark");  // the latest time
  sql("UPDATE NVTX_EVENTS SET eventType = 60 WHERE text = 'open start';"
      "UPDATE NVTX_EVENTS SET eventType = 34 WHERE text = 'mark';");
  EXPECT_EQ(of("nvtx_pushpop_sum")[1], "88.9,80,1,80.0,80.0,80,80,0.0,:open");
  EXPECT_EQ(of("nvtx_startend_sum")[1], "100.0,70,1,70.0,70.0,70,70,0.0,:open start");
  EXPECT_EQ(of("nvtx_pushpop_trace")[1], "10,90,80,10,70,:open,9,9,0,1,1,,:1,:open");
  EXPECT_EQ(of("nvtx_pushpop_trace")[2], "30,40,10,0,10,:ended,9,9,1,0,3,1,:1:3,--:ended");
  EXPECT_TRUE(reader().faulty().empty());
}

TEST_F(RangeTreeTest, OfThousandsOfRangesThatNeverEndTheFirstAreUsed) {
  std::string all;
  for (int i = 0; i < 300; ++i)
    all += (i > 0 ? ",(" : "(") + std::to_string(i) + ",NULL,59,'open',NULL," +
           std::to_string(test::global_id(9, 9)) + ",0,NULL)";
  sql("INSERT INTO NVTX_EVENTS VALUES " + all);
  const auto file = reader();
  EXPECT_EQ(RangeTree::read(file)->ranges().size(), 256U);
  EXPECT_EQ(file.remarks().size(), 1U);
  EXPECT_NE(of("nvtx_pushpop_sum")[1].find(",300,"), std::string::npos);
}

TEST_F(RangeTreeTest, ProjectionsNestBothStylesInEachOther) {
  add_range(0, "100", 9, "started");
  add_range(10, "30", 9, "batch");
  add_range(12, "28", 9, "in batch");
  add_range(40, "60", 9, "batch");
  sql("UPDATE NVTX_EVENTS SET eventType = 60 WHERE text IN ('started', 'in batch');");
  create_api();
  add_call(15, 20, 9, 1);
  add_call(45, 50, 9, 2);
  create_kernels();
  for (int i = 1; i <= 2; ++i) add_kernel(300 * i, 300 * i + 10, 9, i);
  const Lines trace = of("nvtx_gpu_proj_trace");
  EXPECT_EQ(Lines(trace.begin() + 1, trace.end()),
            (Lines{":started,300,310,0,100,StartEnd,9,9,2,0,2,1,,:1",
                   ":batch,300,10,10,20,PushPop,9,9,1,1,1,2,1,:1:2",
                   ":in batch,300,10,12,16,StartEnd,9,9,1,2,0,3,2,:1:2:3",
                   ":batch,600,10,40,20,PushPop,9,9,1,1,0,4,1,:1:4"}));
  EXPECT_EQ(of("nvtx_pushpop_trace")[1], "10,30,20,0,20,:batch,9,9,0,0,2,,:2,:batch");
  // Of two overlapping ranges the one that began last is the parent.
  sql("INSERT INTO NVTX_EVENTS VALUES (50,150,60,'later',NULL," +
      std::to_string(test::global_id(9, 9)) + ",0,NULL)");
  add_range(70, "80", 9, "in both");
  const auto file = reader();
  const auto tree = RangeTree::read(file, RangeTree::Nesting::kAll);
  EXPECT_EQ(tree->id_path(tree->ranges().back()), ":5:6");
  EXPECT_EQ(tree->at(4).level, 0);
}

TEST_F(RangeTreeTest, ALaunchCountsInEveryRangeAroundIt) {
  add_range(0, "35", 9, "first");
  add_range(10, "100", 9, "second");
  create_api();
  add_call(20, 30, 9, 1);
  add_call(34, 36, 9, 2);
  add_call(200, 210, 9, 3);
  create_kernels();
  for (int i = 1; i <= 3; ++i) add_kernel(300 * i, 300 * i + 10, 9, i);
  add_kernel(5000, 5010, 9, 77);  // of a launch that was not recorded
  const std::string times = "10.0,10.0,10,10,0.0,f(int)";
  EXPECT_EQ(of("nvtx_kern_sum"),
            (Lines{"NVTX Range,Style,PID,TID,NVTX Inst,Kern Inst,Total Time (ns),Avg (ns),"
                   "Med (ns),Min (ns),Max (ns),StdDev (ns),Kernel Name",
                   ",,9,9,0,1,10," + times, ":first,PushPop,9,9,1,1,10," + times,
                   ":second,PushPop,9,9,1,2,20," + times}));
  EXPECT_EQ(of("nvtx_gpu_proj_trace")[1], ":first,300,10,0,35,PushPop,9,9,1,0,0,1,,:1");
  EXPECT_EQ(of("nvtx_gpu_proj_trace")[2], ":second,300,310,10,90,PushPop,9,9,2,0,0,2,,:2");
}

// A program captures two kernels in ranges, and launches the graph twice.
class GraphRangesTest : public RangeTreeTest {
 protected:
  GraphRangesTest() {
    add_range(0, "100", 9, "step 0");
    add_range(10, "40", 9, "layer");
    add_range(50, "80", 9, "layer");
    add_range(200, "300", 9, "step 1");
    add_range(210, "290", 9, "replay");
    create_api();
    add_call(220, 230, 9, 1);
    add_call(240, 250, 9, 2);
    create_kernels();
    for (const int launch : {1, 2})
      for (const int node : {21, 22}) {
        const int start = 1000 * launch + 100 * node;
        add_kernel(start, start + 10 * launch, 9, launch);
      }
    sql("ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN graphNodeId;"
        "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET graphNodeId = start / 100 % 10 + 20;"
        "CREATE TABLE CUDA_GRAPH_NODE_EVENTS (start, end, globalTid, graphNodeId, "
        "originalGraphNodeId);");
    add_node(20, 1, 0);
    add_node(60, 2, 0);
    for (const int node : {1, 2}) {
      add_node(110, node + 10, node);  // the instantiation
      add_node(112, node + 20, node + 10);
    }
  }
  void add_node(int time, int node, int original) {
    sql("INSERT INTO CUDA_GRAPH_NODE_EVENTS VALUES (" + std::to_string(time) + "," +
        std::to_string(time) + "," + std::to_string(test::global_id(9, 9)) + "," +
        std::to_string(node) + ",NULLIF(" + std::to_string(original) + ",0))");
  }
  // Returns the values of the first and of one other column.
  static Lines with_first(const Lines& rows, std::size_t column) {
    Lines result;
    for (std::size_t i = 1; i < rows.size(); ++i) {
      std::size_t at = 0;
      for (std::size_t skipped = 0; skipped < column; ++skipped) at = rows[i].find(',', at) + 1;
      result.push_back(rows[i].substr(0, rows[i].find(',')) + ' ' +
                       rows[i].substr(at, rows[i].find(',', at) - at));
    }
    return result;
  }
};

TEST_F(GraphRangesTest, EachLaunchRepeatsTheRangesOfTheCapture) {
  const Lines trace = of("nvtx_gpu_proj_trace");
  EXPECT_TRUE(trace[0].ends_with(",RangeStack,Captured"));
  EXPECT_EQ(Lines(trace.begin() + 1, trace.end()),
            (Lines{":layer,3100,10,10,30,PushPop,9,9,1,1,0,2,1,:1:2,capture",
                   ":step 1,3100,1120,200,100,PushPop,9,9,4,0,1,4,,:4,launch",
                   ":replay,3100,1120,210,80,PushPop,9,9,4,1,0,5,4,:4:5,launch",
                   ":layer,3200,10,50,30,PushPop,9,9,1,1,0,3,1,:1:3,capture",
                   ":layer,4100,20,10,30,PushPop,9,9,1,1,0,2,1,:1:2,capture",
                   ":layer,4200,20,50,30,PushPop,9,9,1,1,0,3,1,:1:3,capture"}));
  EXPECT_EQ(with_first(of("nvtx_gpu_proj_sum"), 4), (Lines{":replay 1", ":step 1 1", ":layer 4"}));
  EXPECT_EQ(with_first(of("nvtx_kern_sum"), 4), (Lines{":layer 4", ":replay 1", ":step 1 1"}));
}

TEST_F(GraphRangesTest, OnlyTheRangesOfTheLaunchOrOfTheCapture) {
  EXPECT_EQ(with_first(of("nvtx_kern_sum", RangeOf::kLaunch), 5),
            (Lines{":replay 4", ":step 1 4"}));
  EXPECT_EQ(with_first(of("nvtx_kern_sum", RangeOf::kCapture), 5),
            (Lines{":layer 4", ":step 0 4"}));
  EXPECT_TRUE(of("nvtx_gpu_proj_trace", RangeOf::kLaunch)[0].ends_with(",RangeStack"));
}

TEST_F(GraphRangesTest, ALaunchHasTheLastSourceOfANodeBeforeIt) {
  add_range(150, "160", 9, "other");
  add_node(155, 3, 0);
  add_node(235, 21, 3);  // an update between the launches
  EXPECT_EQ(with_first(of("nvtx_kern_sum"), 5),
            (Lines{":layer 3", ":other 1", ":replay 4", ":step 1 4"}));
}

TEST_F(GraphRangesTest, RangesOfACaptureBeforeTheRecording) {
  sql("DELETE FROM NVTX_EVENTS WHERE start < 100;"
      "CREATE TABLE PROF_GRAPH_RANGES (start, end, globalTid, domainId, textId);"
      "INSERT INTO StringIds VALUES (901, 'early');"
      "INSERT INTO PROF_GRAPH_RANGES VALUES (10, 40, " +
      std::to_string(test::global_id(9, 9)) + ", 0, 901)");
  EXPECT_EQ(with_first(of("nvtx_kern_sum"), 5), (Lines{":early 2", ":replay 4", ":step 1 4"}));
  EXPECT_EQ(with_first(of("nvtx_kern_sum", RangeOf::kLaunch), 5),
            (Lines{":replay 4", ":step 1 4"}));
  EXPECT_EQ(with_first(of("nvtx_gpu_proj_sum"), 4), (Lines{":replay 1", ":step 1 1", ":early 2"}));
  EXPECT_EQ(of("nvtx_sum").size(), 3);  // with the headings: it is not an event of the recording
}

TEST_F(GraphRangesTest, ANodeOfUnknownSourceHasTheRangesOfItsLaunch) {
  sql("DELETE FROM CUDA_GRAPH_NODE_EVENTS WHERE graphNodeId IN (1, 22)");
  add_node(114, 22, 22);  // a damaged row
  EXPECT_EQ(with_first(of("nvtx_kern_sum"), 5), (Lines{":replay 4", ":step 1 4"}));
  EXPECT_EQ(with_first(of("nvtx_kern_sum", RangeOf::kCapture), 5), (Lines{" 4"}));
}

}  // namespace
}  // namespace prof::events
