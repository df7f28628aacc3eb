#include "collector/session/interactive/collection_recorder.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "collector/spool/decoder.hpp"
#include "collector/spool/spool.hpp"
#include "tests/unit/temporary_directory.hpp"

namespace prof::session {
namespace {

namespace fs = std::filesystem;
using Edges = std::vector<wire::CaptureEvent>;

// A session without processes that have joined.
class CollectionRecorderTest : public ::testing::Test {
 protected:
  CollectionRecorderTest() {
    sigemptyset(&signals_);
    options_.cpu.samples = options_.cpu.switches = sampler::Scope::kNone;
    options_.python.samples = false;
    options_.buffer_bytes = 16 << 20;
    options_.version = "1.2.3";
    options_.time.on_demand = true;
  }

  void prepare() { ASSERT_TRUE(recorder_.prepare(directory_.file("commands"))); }
  base::Status begin() { return recorder_.begin(output_, {}); }
  FinishedCollection end(std::optional<std::chrono::nanoseconds> keep = {}) {
    auto finished = recorder_.end(output_, {"prof", "start"}, keep);
    EXPECT_TRUE(finished);
    return std::move(*finished);
  }
  static spool::Spool recorded(const FinishedCollection& finished) {
    return spool::Spool::open(finished.file.get(), finished.spool).value();
  }
  static std::vector<wire::CaptureRecord> edges(const spool::Spool& spool) {
    struct Visitor {
      std::vector<wire::CaptureRecord>& found;
      void operator()(const wire::CaptureRecord& record) { found.push_back(record); }
    };
    std::vector<wire::CaptureRecord> found;
    for (const auto& piece : spool.pieces) spool::decode(piece.bytes, Visitor{found});
    return found;
  }
  static Edges events(const spool::Spool& spool) {
    Edges events;
    for (const auto& edge : edges(spool))
      events.push_back(static_cast<wire::CaptureEvent>(edge.header.aux));
    return events;
  }

  test::TemporaryDirectory directory_;
  const std::string name_ = "trial";
  const std::string output_ = directory_.file("r.db");
  const std::string spool_ = output_ + ".spool";
  SessionOptions options_;
  EventLoop loop_;
  LaunchedPrograms programs_{loop_};
  sigset_t signals_;
  const WriteReports write_reports_ = [](FinishedCollection&) { return 0; };
  CollectionRecorder recorder_{name_, options_, loop_, programs_, signals_, write_reports_};
};

TEST_F(CollectionRecorderTest, ProcessesFindTheCommandsOfAPreparedSession) {
  EXPECT_EQ(recorder_.server(), nullptr);
  prepare();
  ASSERT_NE(recorder_.server(), nullptr);
  EXPECT_FALSE(recorder_.is_recording());
  EXPECT_FALSE(recorder_.has_processes());
  EXPECT_TRUE(recorder_.processes().empty());
  EXPECT_FALSE(recorder_.has_metrics_endpoint());
  EXPECT_EQ(recorder_.flight(), nullptr);
  EXPECT_EQ(fs::read_symlink(recorder_.directory() + "/commands"), directory_.file("commands"));
}

TEST_F(CollectionRecorderTest, ACollectionIsARecordingBetweenTwoEdges) {
  prepare();
  ASSERT_TRUE(recorder_.begin(output_, {"a warning of the launch"}));
  EXPECT_TRUE(recorder_.is_recording());
  EXPECT_TRUE(fs::exists(spool_));
  EXPECT_FALSE(recorder_.record());
  const FinishedCollection finished = end();
  EXPECT_FALSE(recorder_.is_recording());
  EXPECT_EQ(finished.spool, spool_);
  EXPECT_EQ(finished.output, output_);
  EXPECT_EQ(finished.words, (Words{"prof", "start"}));
  const spool::Spool spool = recorded(finished);
  EXPECT_EQ(spool.notes.session().version, "1.2.3");
  EXPECT_TRUE(spool.notes.session().capture_ranges);
  EXPECT_EQ(events(spool), (Edges{wire::CaptureEvent::kBegin, wire::CaptureEvent::kEnd}));
  EXPECT_GT(edges(spool)[1].time, edges(spool)[0].time);
  EXPECT_GE(spool.clocks.size(), 2U);
  const auto said = spool.notes.all<spool::DiagnosticNote>();
  ASSERT_EQ(said.size(), 1U);
  EXPECT_EQ(said[0].text, "a warning of the launch");
  EXPECT_EQ(said[0].severity, spool::Severity::kWarning);
  EXPECT_EQ(spool.notes.first<spool::EndNote>()->exit_status, -1);  // no program has ended
}

TEST_F(CollectionRecorderTest, CollectionsFollowEachOther) {
  prepare();
  ASSERT_TRUE(begin());
  const std::uint64_t first = edges(recorded(end()))[1].time;
  fs::rename(spool_, directory_.file("first"));
  ASSERT_TRUE(begin());
  EXPECT_GT(edges(recorded(end()))[0].time, first);
}

TEST_F(CollectionRecorderTest, OnlyTheEndOfACollectionIsKeptIfSoAsked) {
  prepare();
  ASSERT_TRUE(begin());
  const spool::Spool spool = recorded(end(std::chrono::nanoseconds(1)));
  EXPECT_EQ(events(spool), (Edges{wire::CaptureEvent::kBegin, wire::CaptureEvent::kBegin,
                                  wire::CaptureEvent::kEnd}));
  const auto all = edges(spool);
  EXPECT_GT(all[1].time, all[0].time);
  EXPECT_LE(all[1].time, all[2].time);
}

TEST_F(CollectionRecorderTest, ACollectionThatIsShorterThanWhatIsKeptIsWhole) {
  prepare();
  ASSERT_TRUE(begin());
  EXPECT_EQ(events(recorded(end(std::chrono::hours(24)))),
            (Edges{wire::CaptureEvent::kBegin, wire::CaptureEvent::kEnd}));
}

TEST_F(CollectionRecorderTest, WithCaptureRangesTheProgramMakesTheEdges) {
  options_.ranges.enabled = options_.ranges.cuda_profiler_api = true;
  prepare();
  ASSERT_TRUE(begin());
  EXPECT_FALSE(recorder_.record());
  EXPECT_TRUE(edges(recorded(end())).empty());
}

TEST_F(CollectionRecorderTest, ADroppedCollectionLeavesNoFile) {
  prepare();
  ASSERT_TRUE(begin());
  recorder_.drop();
  EXPECT_FALSE(recorder_.is_recording());
  EXPECT_FALSE(fs::exists(spool_));
  ASSERT_TRUE(begin());  // the name is free again
  recorder_.drop();
}

TEST_F(CollectionRecorderTest, AnExistingReportIsReplacedOnlyIfAsked) {
  prepare();
  std::ofstream(output_) << "an older report";
  const base::Status refused = begin();
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find(output_ + " exists"), std::string::npos);
  EXPECT_FALSE(recorder_.is_recording());
  EXPECT_FALSE(fs::exists(spool_));
  options_.overwrite = true;
  ASSERT_TRUE(begin());
  EXPECT_TRUE(end().overwrite);
  EXPECT_EQ(test::read_file(output_), "an older report");  // until its report is written
}

TEST_F(CollectionRecorderTest, TheCommandOfTheUserRunsWhenACollectionHasBegun) {
  const std::string pipe = directory_.file("begun");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  options_.hooks.after_collection_start = "echo $PROF_SESSION_NAME $PROF_CALLBACK_NAME >" + pipe;
  prepare();
  ASSERT_TRUE(begin());
  std::string said;
  std::getline(std::ifstream(pipe), said);  // waits for the command
  EXPECT_EQ(said, "trial after-collection-start");
  recorder_.drop();
}

TEST_F(CollectionRecorderTest, LaunchedProgramsAreProcessesBeforeTheyJoin) {
  prepare();
  const pid_t program = fork();
  if (program == 0) {
    pause();
    _exit(0);
  }
  Client launcher;
  launcher.error.reset(dup(STDERR_FILENO));
  ASSERT_TRUE(programs_.add(program, launcher));
  EXPECT_EQ(recorder_.processes(), std::vector<pid_t>{program});
  kill(program, SIGKILL);
  waitpid(program, nullptr, 0);
}

}  // namespace
}  // namespace prof::session
