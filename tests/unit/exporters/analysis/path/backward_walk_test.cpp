// Critical paths of random programs, compared with a simulation of them.
#include "exporters/analysis/path/path_sums.hpp"

#include <filesystem>
#include <iterator>

#include "tests/unit/exporters/analysis/path/simulated_program.hpp"

namespace prof::path {
namespace {

using Parts = test::Parts;
using CriticalPathTest = test::SimulatedProgram;

// Each segment ends where the next one begins, from the first moment to the last.
void expect_whole(const ExecutionModel& model, const std::vector<Segment>& path) {
  std::int64_t time = model.end();
  for (const Segment& each : path) {
    ASSERT_EQ(each.end, time);
    ASSERT_LT(each.start, each.end);
    time = each.start;
  }
  EXPECT_EQ(time, model.begin());
}

Parts parts_of(const std::vector<Segment>& path) {
  Parts result;
  for (const Segment& each : path) result[name_of(each.kind)] += each.duration();
  return result;
}

TEST_F(CriticalPathTest, OfRandomPrograms) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    test::Simulation program(seed);
    clear();
    sql("BEGIN;" + program.run(60) + "COMMIT;");
    const auto file = reader();
    const auto model = ExecutionModel::read(file);
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->end(), program.end().time) << seed;
    const std::vector<Segment> path = critical_path(*model);
    expect_whole(*model, path);
    EXPECT_EQ(parts_of(path), program.end().parts) << seed;
  }
}

TEST_F(CriticalPathTest, ModelsDoNotKeepTheirReportsOpen) {
  const auto open_files = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  };
  test::Simulation program(1);
  sql("BEGIN;" + program.run(60) + "COMMIT;");
  const auto before = open_files();
  std::vector<ExecutionModel> models;
  for (int i = 0; i < 3; ++i) models.push_back(*ExecutionModel::read(reader()));
  EXPECT_EQ(open_files(), before);
  EXPECT_NE(models[0].work().name_of(models[0].work().at(0)), "[Unknown]");
}

TEST_F(CriticalPathTest, FullQueueWaitsForItsHead) {
  // Each launch takes 1 µs, and each kernel 10 µs. The last launch has to wait.
  sql(fmt::format(
      "WITH n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 1100) "
      "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT i * 1000, i * 1000 + 500, 0, {}, i + 1, 11, "
      "0, NULL FROM n;"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT 500 + (correlationId - 1) * 10000, "
      "500 + correlationId * 10000, 0, 1, 7, correlationId, {}, 2, 3, 16, 1, 1, 1, 64, 1, 1, 0, 0 "
      "FROM CUPTI_ACTIVITY_KIND_RUNTIME;"
      "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1101000, 1401000, 0, {}, 2000, 11, 0, NULL);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (20000000, 20000010, 0, 1, 7, 2000, {}, 2, 3, "
      "16, 1, 1, 1, 64, 1, 1, 0, 0);",
      test::global_id(9, 9), test::global_id(9, 0), test::global_id(9, 9), test::global_id(9, 0)));
  const auto file = reader();
  const auto model = ExecutionModel::read(file);
  ASSERT_TRUE(model) << model.error().message;
  const std::uint32_t last = model->launch_of(static_cast<std::uint32_t>(model->operations() - 1));
  const ExecutionModel::CallWait wait = model->wait_of(last);
  EXPECT_EQ(wait.kind, ExecutionModel::CallWait::Kind::kNothing);  // only 961 launches wait
  std::vector<Segment> path;
  BackwardWalk(*model, path).run({false, 0, 1401000}, model->begin());
  EXPECT_EQ(parts_of(path)["CPU"], 1101 * 500);
}

TEST_F(CriticalPathTest, WaitEndsAtTheThreadThatWorked) {
  // Thread 10 waits for thread 9, which computes and launches.
  sql(
      fmt::format("CREATE TABLE OSRT_API (start, end, eventClass, globalTid, nameId);"
                  "INSERT INTO StringIds VALUES (20, 'pthread_cond_wait');"
                  "INSERT INTO OSRT_API VALUES (100, 900, 27, {}, 20);"
                  "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (0, 20, 0, {}, 1, 11, 0, NULL),"
                  "(50, 60, 0, {}, 2, 11, 0, NULL), (1000, 1010, 0, {}, 3, 11, 0, NULL);",
                  test::global_id(9, 10), test::global_id(9, 9), test::global_id(9, 10),
                  test::global_id(9, 10)));
  const auto file = reader();
  const auto model = ExecutionModel::read(file);
  ASSERT_TRUE(model) << model.error().message;
  const std::vector<Segment> path = critical_path(*model);
  expect_whole(*model, path);
  // 900 to 1000 on thread 10, then thread 9 from its call at 0 on.
  EXPECT_EQ(parts_of(path), (Parts{{"CUDA call", 30}, {"CPU", 980}}));
  EXPECT_EQ(model->calls().threads()[path.back().thread].global_tid, test::global_id(9, 9));
}

TEST_F(CriticalPathTest, ThatNothingWasRecordedOf) {
  const auto file = reader();
  const auto model = ExecutionModel::read(file);
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_TRUE(critical_path(*model).empty());
}

}  // namespace
}  // namespace prof::path
