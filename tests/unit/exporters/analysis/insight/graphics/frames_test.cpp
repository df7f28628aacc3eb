#include "exporters/analysis/insight/graphics/frames.hpp"

#include "exporters/analysis/stats/catalog.hpp"
#include "tests/unit/exporters/report_fixture.hpp"

namespace prof::insight {
namespace {

using Lines = std::vector<std::string>;

class FramesTest : public test::ReportFixture {
 protected:
  FramesTest() {
    sql("CREATE TABLE OPENGL_API (start, end, globalTid, nameId);"
        "CREATE TABLE OPENGL_WORKLOAD (start, end, globalTid);"
        "INSERT INTO StringIds VALUES (70,'glClear'),(71,'eglSwapBuffers');");
  }
  void call(std::int64_t start, std::int64_t end, int name, std::int64_t tid = kThread) {
    sql("INSERT INTO OPENGL_API VALUES (" + std::to_string(start) + "," + std::to_string(end) +
        "," + std::to_string(tid) + "," + std::to_string(name) + ")");
  }
  Lines of(const char* statistic) {
    const auto file = reader();
    return lines(stats::run(*stats::find_statistic(statistic), file, {}));
  }
  static constexpr std::int64_t kThread = (std::int64_t{9} << 24) + 9;
};

TEST_F(FramesTest, EachSwapEndsAFrame) {
  call(100, 110, 70);
  call(200, 250, 71);
  call(260, 270, 70);
  call(300, 320, 71);
  call(50, 60, 71, kThread + 1);
  sql("INSERT INTO OPENGL_WORKLOAD VALUES (150,230," + std::to_string(kThread) + "),(220,300," +
      std::to_string(kThread) + ")");
  EXPECT_EQ(
      of("frames"),
      (Lines{"Start (ns),Duration (ns),CPU (ns),GPU (ns),Present (ns),Frame,Stutter,Pid,Tid,"
             "Call",
             "100,150,100,100,50,1,no,9,9,eglSwapBuffers",
             "250,70,50,50,20,2,no,9,9,eglSwapBuffers", "50,10,0,0,10,1,no,9,10,eglSwapBuffers"}));
}

TEST_F(FramesTest, WithoutFramesThereIsNoRow) {
  call(100, 110, 70);
  EXPECT_EQ(of("frames").size(), 1U);
}

std::vector<bool> stutters(const std::vector<std::int64_t>& milliseconds) {
  std::vector<Frame> frames;
  for (const std::int64_t each : milliseconds) {
    Frame& frame = frames.emplace_back();
    frame.end = each * 1'000'000;
  }
  find_stutters(frames.begin(), frames.end());
  std::vector<bool> found;
  for (const Frame& each : frames) found.push_back(each.stutters);
  return found;
}

TEST(Stutters, AreLongerThanTheMedianByAFifthAndByFourMilliseconds) {
  std::vector<std::int64_t> times(40, 16);
  times[20] = 21;
  times[30] = 20;  // 4 ms more
  std::vector<bool> wanted(40);
  wanted[20] = true;
  EXPECT_EQ(stutters(times), wanted);
  // 6 ms more than 40 ms are less than a fifth.
  EXPECT_EQ(stutters({40, 40, 46, 40, 40}), std::vector<bool>(5));
  EXPECT_EQ(stutters({}), std::vector<bool>());
  EXPECT_EQ(stutters({100}), std::vector<bool>(1));
}

TEST(Stutters, TheMedianIsThatOfTheFramesAround) {
  // The program becomes slower: no frame is unlike most of those around it.
  std::vector<std::int64_t> times(60, 10);
  std::fill(times.begin() + 30, times.end(), 30);
  EXPECT_EQ(stutters(times), std::vector<bool>(60));
}

}  // namespace
}  // namespace prof::insight
