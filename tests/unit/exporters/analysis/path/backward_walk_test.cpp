// Critical paths of random programs. A simulation of its own runs each program forward, and knows
// at each moment what its time has gone into.
#include <algorithm>
#include <array>
#include <map>
#include <random>

#include "exporters/analysis/path/path_sums.hpp"
#include "tests/unit/exporters/gpu_fixture.hpp"

namespace prof::path {
namespace {

using Parts = std::map<std::string, std::int64_t>;  // ns on the path by kind

// Where the time up to a moment went.
struct Moment {
  std::int64_t time = 0;
  Parts parts;

  Moment after(const std::string& kind, std::int64_t duration) const {
    Moment result = *this;
    result.time += duration;
    if (duration > 0) result.parts[kind] += duration;
    return result;
  }
};

// One thread that launches kernels on streams and waits for them.
class Simulation {
 public:
  explicit Simulation(unsigned seed) : random_(seed) {}

  std::string run(int steps) {
    call("cudaSetDevice");
    for (int i = 0; i < steps; ++i) {
      thread_ = thread_.after("CPU", number(1, 3) == 1 ? number(1, 5000) : 0);
      const std::int64_t what = number(0, 9);
      if (what < 7)
        launch(static_cast<std::size_t>(number(0, 2)));
      else if (what < 8)
        wait_for_event(static_cast<std::size_t>(number(0, 2)));
      else
        synchronize(number(0, 3) == 0 ? kAll : static_cast<std::size_t>(number(0, 2)));
    }
    return sql_;
  }

  Moment end() const {
    Moment last = thread_;
    for (const Moment& each : streams_)
      if (each.time > last.time) last = each;
    return last;
  }

 private:
  static constexpr std::size_t kAll = 3;

  std::int64_t number(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
  }

  void add_call(std::int64_t start, std::int64_t end, const char* name) {
    sql_ += fmt::format(
        "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ({},{},0,{},{},(SELECT id FROM StringIds "
        "WHERE value = '{}'),0,NULL);",
        start, end, test::global_id(9, 9), ++correlation_, name);
  }
  void call(const char* name) {
    const Moment after = thread_.after("CUDA call", number(10, 50));
    add_call(thread_.time, after.time, name);
    thread_ = after;
  }

  void launch(std::size_t stream) {
    call("cudaLaunchKernel");
    Moment& before = streams_[stream];
    const bool is_behind = before.time >= thread_.time;
    Moment start = is_behind ? before.after("GPU queue", 3) : thread_.after("launch latency", 3);
    start = start.after("kernel", number(1, 4000));
    const std::int64_t begin = (is_behind ? before : thread_).time + 3;
    sql_ += fmt::format(
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ({},{},0,1,{},{},{},2,3,16,1,1,1,64,1,1,0,"
        "0);",
        begin, start.time, stream, correlation_, test::global_id(9, 0));
    before = start;
  }

  // Stream 0 waits for all that was launched on another one, and runs a kernel.
  void wait_for_event(std::size_t stream) {
    if (stream == 0) return;
    const std::int64_t event = correlation_;
    call("cudaEventRecord");
    sql_ += fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES ({},0,{},{},{});",
                        test::global_id(9, 0), stream, correlation_, event);
    call("cudaStreamWaitEvent");
    sql_ += fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES ({},0,0,{},{},2);",
                        test::global_id(9, 0), correlation_, event);
    if (streams_[stream].time > streams_[0].time) streams_[0] = streams_[stream];
    launch(0);
  }

  void synchronize(std::size_t stream) {
    const Moment* last = stream == kAll ? &streams_[0] : &streams_[stream];
    for (const Moment& each : streams_)
      if (stream == kAll && each.time > last->time) last = &each;
    const Moment after =
        last->time > thread_.time ? last->after("wake-up", 7) : thread_.after("CUDA call", 9);
    add_call(thread_.time, after.time,
             stream == kAll ? "cudaDeviceSynchronize" : "cudaStreamSynchronize");
    sql_ += fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES ({},0,{},{},0,{});",
                        test::global_id(9, 0), stream, correlation_, stream == kAll ? 4 : 3);
    thread_ = after;
  }

  std::mt19937 random_;
  Moment thread_{1000, {}};
  std::array<Moment, 3> streams_;
  std::int64_t correlation_ = 0;
  std::string sql_;
};

class CriticalPathTest : public test::GpuFixture {
 protected:
  CriticalPathTest() {
    create_api();
    sql("CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (globalPid, deviceId, streamId, "
        "correlationId, eventId);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (globalPid, deviceId, streamId, "
        "correlationId, eventId, syncType);"
        "INSERT INTO StringIds VALUES (10,'cudaSetDevice'),(11,'cudaLaunchKernel'),"
        "(12,'cudaEventRecord'),(13,'cudaStreamWaitEvent'),(14,'cudaStreamSynchronize'),"
        "(15,'cudaDeviceSynchronize');");
  }

  void clear() const {
    sql("DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME; DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL;"
        "DELETE FROM CUPTI_ACTIVITY_KIND_CUDA_EVENT;"
        "DELETE FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;");
  }
};

std::vector<Segment> path_of(const ExecutionModel& model) {
  std::vector<Segment> path;
  BackwardWalk(model, path).run(model.last_place(), model.begin());
  return path;
}

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
    Simulation program(seed);
    clear();
    sql("BEGIN;" + program.run(60) + "COMMIT;");
    const auto file = reader();
    const auto model = ExecutionModel::read(file);
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->end(), program.end().time) << seed;
    const std::vector<Segment> path = path_of(*model);
    expect_whole(*model, path);
    EXPECT_EQ(parts_of(path), program.end().parts) << seed;
  }
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
  const std::vector<Segment> path = path_of(*model);
  expect_whole(*model, path);
  // 900 to 1000 on thread 10, then thread 9 from its call at 0 on.
  EXPECT_EQ(parts_of(path), (Parts{{"CUDA call", 30}, {"CPU", 980}}));
  EXPECT_EQ(model->calls().threads()[path.back().thread].global_tid, test::global_id(9, 9));
}

TEST_F(CriticalPathTest, ThatNothingWasRecordedOf) {
  const auto file = reader();
  const auto model = ExecutionModel::read(file);
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_TRUE(path_of(*model).empty());
}

}  // namespace
}  // namespace prof::path
