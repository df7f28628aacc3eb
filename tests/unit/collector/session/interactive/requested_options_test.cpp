#include "collector/session/interactive/requested_options.hpp"

#include <gtest/gtest.h>

namespace prof::session {
namespace {

// "--nvtx" and the like are all that these commands know.
base::Status read_launch(const Words& words, SessionOptions& options) {
  for (const std::string& word : words) {
    if (word == "bad") return base::fail("bad word");
    if (word == "no-nvtx") options.features &= ~wire::kFeatureNvtx;
    if (word == "endpoint") options.metrics_endpoint.emplace();
    if (word == "flight") options.flight.window = std::chrono::seconds(1);
    if (word == "counts") options.ranges.counts_steps = true;
    if (word == "warning") options.warnings.emplace_back("of launch");
  }
  return {};
}
base::Status read_start(const Words& words, SessionOptions& options) {
  for (const std::string& word : words) {
    if (word == "bad") return base::fail("bad word");
    if (word == "ranges") options.ranges.enabled = options.ranges.by_nvtx = true;
    if (word == "overwrite") options.overwrite = true;
    if (word == "step") options.ranges.at_step = StepRequest{10, 0, 0};
  }
  return {};
}

class RequestedOptionsTest : public ::testing::Test {
 protected:
  static Message launch(const Words& words) {
    return {{"words", words}, {"command", {"program"}}, {"folder", "/"}};
  }
  static Message start(const Words& words) {
    return {{"words", words}, {"output", "given.db"}, {"folder", "/"}};
  }

  const std::string name_ = "mine";
  const SessionHooks hooks_{read_launch,
                            read_start,
                            {},
                            [](const Words& words) -> base::Result<ChosenOutput> {
                              return ChosenOutput{"of " + words.at(0)};
                            },
                            {},
                            {}};
  RequestedOptions options_{name_, hooks_};
  const spool::SessionClock clock_ = spool::SessionClock::monotonic_raw();
};

TEST_F(RequestedOptionsTest, LaterLaunchesHaveTheOptionsOfTheFirst) {
  ASSERT_TRUE(options_.choose(launch({"no-nvtx"}), false));
  EXPECT_TRUE(options_.compare(launch({"no-nvtx"}), clock_, false));
  EXPECT_FALSE(options_.get().has(wire::kFeatureNvtx));
  EXPECT_NE(options_.compare(launch({"bad"}), clock_, false).error().message, "");
  Message other = launch({});
  other["features"] = ~std::uint32_t{0} & ~wire::kFeatureOsrt;
  EXPECT_NE(options_.compare(other, clock_, false).error().message.find("other options"),
            std::string::npos);
  EXPECT_NE(options_.compare(launch({"endpoint"}), clock_, false).error().message.find("endpoint"),
            std::string::npos);
  EXPECT_TRUE(options_.compare(launch({"endpoint"}), clock_, true));
}

TEST_F(RequestedOptionsTest, AFailedCommandChangesNothing) {
  EXPECT_FALSE(options_.choose(launch({"no-nvtx", "bad"}), false));
  EXPECT_TRUE(options_.get().has(wire::kFeatureNvtx));
  EXPECT_FALSE(options_.read_start(start({"overwrite", "bad"})));
  EXPECT_FALSE(options_.get().overwrite);
}

TEST_F(RequestedOptionsTest, AFlightRecorderNeedsASessionThatDoesNotWait) {
  EXPECT_FALSE(options_.choose(launch({"flight"}), true));
  EXPECT_TRUE(options_.choose(launch({"flight"}), false));
}

TEST_F(RequestedOptionsTest, StepsMustBeCountedAndToCome) {
  StepPace pace{StepPace::Clock::now()};
  ASSERT_TRUE(options_.read_start(start({"step"})));
  EXPECT_TRUE(options_.choose_steps(pace, false));  // prof launch may count them
  EXPECT_FALSE(options_.choose(launch({}), true));
  ASSERT_TRUE(options_.choose(launch({"counts"}), true));
  EXPECT_TRUE(options_.choose_steps(pace, true));
  ASSERT_TRUE(options_.read_start(start({"step"})));
  pace.look(10, StepPace::Clock::now());
  EXPECT_TRUE(options_.choose_steps(pace, true));
  pace.look(12, StepPace::Clock::now());
  EXPECT_EQ(options_.choose_steps(pace, true).error().message,
            "--at-step: step 10 has passed; the program is at step 11");
}

TEST_F(RequestedOptionsTest, EachStartChoosesAnew) {
  ASSERT_TRUE(options_.choose(launch({"warning"}), false));
  options_.keep_warnings({{"warnings", {"printed"}}});
  EXPECT_EQ(options_.launch_warnings(), (Words{"of launch", "printed"}));
  ASSERT_TRUE(options_.read_start(start({"overwrite", "ranges"})));
  EXPECT_TRUE(options_.get().overwrite);
  EXPECT_TRUE(options_.get().ranges.enabled);
  options_.drop_impossible_ranges();  // nobody has named a range
  EXPECT_FALSE(options_.get().ranges.enabled);
  EXPECT_EQ(options_.get().warnings.size(), 1U);
  ASSERT_TRUE(options_.read_start(start({})));
  EXPECT_FALSE(options_.get().overwrite);
  EXPECT_TRUE(options_.get().warnings.empty());
}

TEST_F(RequestedOptionsTest, DefaultsOfAStartComeBeforeItsWords) {
  Message request = launch({});
  request["defaults"] = {"--output=mine.db"};
  ASSERT_TRUE(options_.choose(request, false));
  EXPECT_EQ(options_.start_words(start({"last"})), (Words{"--output=mine.db", "last"}));
  EXPECT_EQ(options_.start_output(start({}))->path, "of --output=mine.db");
  Message chosen = start({});
  chosen["chooses_output"] = true;
  EXPECT_EQ(options_.start_output(chosen)->path, "given.db");
}

}  // namespace
}  // namespace prof::session
