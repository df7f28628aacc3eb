// Replays of random programs: unchanged they take what they took, and changed what a simulation of
// the changed program takes.
#include "exporters/analysis/replay/execution_replay.hpp"

#include <algorithm>

#include "exporters/analysis/path/backward_walk.hpp"
#include "exporters/analysis/replay/gains.hpp"
#include "tests/unit/exporters/analysis/path/simulated_program.hpp"

namespace prof::replay {
namespace {

class ReplayTest : public test::SimulatedProgram {
 protected:
  // Returns the elapsed time of a random program.
  std::int64_t record(unsigned seed, const test::Factors& factors = {}) const {
    constexpr std::int64_t kBegin = 1000;
    test::Simulation program(seed, factors);
    clear();
    sql("BEGIN;" + program.run(100) + "COMMIT;");
    return program.end().time - kBegin;
  }

  Prediction predicted(const char* changes) const {
    const auto parsed = parse_what_ifs(changes);
    EXPECT_TRUE(parsed) << changes;
    const auto file = reader();
    const auto result = predict(file, *parsed);
    EXPECT_TRUE(result) << result.error().message;
    return *result;
  }
};

void fill(std::vector<std::int64_t>& values) { std::ranges::fill(values, 0); }

TEST_F(ReplayTest, OfUnchangedProgramsTakesWhatTheyTook) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    const std::int64_t elapsed = record(seed);
    const auto file = reader();
    const auto execution = path::ExecutionModel::read(file);
    ASSERT_TRUE(execution) << execution.error().message;
    const ReplayModel model(*execution);
    EXPECT_EQ(model.elapsed(), elapsed);
    EXPECT_EQ(replayed_time(model, model.measured()), elapsed) << seed;
    Costs free = model.measured();
    for (auto* each :
         {&free.gaps, &free.calls, &free.returns, &free.operations, &free.latencies, &free.delays})
      fill(*each);
    EXPECT_EQ(replayed_time(model, free), 0) << seed;
  }
}

TEST_F(ReplayTest, OfChangedProgramsTakesWhatTheyTakeThen) {
  struct Case {
    const char* changes;
    test::Factors factors;
  };
  const Case cases[] = {{"kernel:^g$=0", {0, 1, 1}},
                        {"kernel:^g$*0.5", {0.5, 1, 1}},
                        {"range:load=0", {1, 0, 1}},
                        {"range:load*0.25", {1, 0.25, 1}},
                        {"call:LaunchKernel*0.5", {1, 1, 0.5}},
                        {"kernel:^g$*3", {3, 1, 1}},
                        {"range:load=0 + kernel:^g$*0.5", {0.5, 0, 1}}};
  for (const Case& each : cases)
    for (unsigned seed = 0; seed < 4; ++seed) {
      const std::int64_t simulated = record(seed, each.factors);
      const std::int64_t before = record(seed);
      const Prediction prediction = predicted(each.changes);
      EXPECT_EQ(prediction.measured, before);
      EXPECT_EQ(prediction.replayed, before);
      // A synchronization that no longer waits takes 9 ns, and 7 ns of one that waited are known.
      EXPECT_NEAR(static_cast<double>(prediction.predicted), static_cast<double>(simulated),
                  0.001 * static_cast<double>(before) + 100)
          << each.changes << ", seed " << seed;
    }
}

TEST_F(ReplayTest, GainIsAtMostTheTimeOnThePath) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    record(seed);
    const auto file = reader();
    const auto model = path::ExecutionModel::read(file);
    ASSERT_TRUE(model) << model.error().message;
    const auto segments = path::critical_path(*model);
    std::int64_t on_path = 0;
    for (const path::Segment& each : segments)
      if (each.kind == path::SegmentKind::kKernel &&
          model->work().name_of(model->work().at(each.item)) == "g")
        on_path += each.duration();
    EXPECT_LE(predicted("kernel:^g$=0").gain(), on_path) << seed;
  }
}

TEST_F(ReplayTest, NamesThatNothingHas) {
  record(1);
  const auto file = reader();
  for (const auto& [text, why] : {std::pair("range:lod=0", "no NVTX range has this name"),
                                  {"kernel:h=0", "no GPU operation"},
                                  {"call:open=0", "no call"},
                                  {"network=0", "no communication kernels"},
                                  {"copies=0", "no copies"},
                                  {"idle:graph=0", "no such idle times"},
                                  {"rank:1=median", "several ranks"},
                                  {"stragglers=0", "several ranks"}}) {
    const auto result = predict(file, *parse_what_ifs(text));
    ASSERT_FALSE(result) << text;
    EXPECT_NE(result.error().message.find(why), std::string::npos) << result.error().message;
  }
}

TEST(WhatIfTest, Words) {
  const auto what = parse_what_ifs("range:a=b*c*0.5 + rank:17=median + stragglers=mean");
  ASSERT_TRUE(what) << what.error().message;
  ASSERT_EQ(what->size(), 3);
  EXPECT_EQ(what->front().name, "a=b*c");
  EXPECT_EQ(what->front().factor, 0.5);
  EXPECT_EQ(what->at(1).rank, 17);
  EXPECT_EQ(what->at(1).like, WhatIf::Like::kMedian);
  EXPECT_EQ(what->back().like, WhatIf::Like::kMean);
  EXPECT_EQ(parse_what_if("idle:data-loading*0.5")->idle, insight::IdleKind::kDataLoading);
  EXPECT_EQ(expression_of({"a+b", "c"}), "^(a\\+b|c)$");
  for (const char* wrong :
       {"", "range:a", "range:=0", "range:a=", "range:a=1", "range:a*-1", "range:a*x", "kernel:(=0",
        "kernel:a=median", "rank:x=0", "rank:1=mode", "stragglers*0.5", "color:red=0", "a=0",
        "idle:rest=0", "idle:sync*0.5", "compute=median"}) {
    const auto parsed = parse_what_ifs(wrong);
    ASSERT_FALSE(parsed) << wrong;
    EXPECT_NE(parsed.error().message.find("range:NAME*0.5"), std::string::npos) << wrong;
  }
}

}  // namespace
}  // namespace prof::replay
