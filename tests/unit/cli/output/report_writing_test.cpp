#include "cli/output/report_writing.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <initializer_list>

#include "tests/unit/temporary_directory.hpp"

namespace prof::cli {
namespace {

TEST(ReportWriting, OutlivesTheFirstInterruptAndAClosedTerminal) {
  const ReportWriting writing("report.db.spool");
  EXPECT_EQ(raise(SIGHUP), 0);
  EXPECT_EQ(raise(SIGPIPE), 0);
  EXPECT_EQ(raise(SIGINT), 0);
}

class ReportWritingDeathTest : public ::testing::Test {
 protected:
  ReportWritingDeathTest() {
    std::ofstream(recording_) << "recording";
    std::ofstream(temporary_) << "half";
  }
  void begin_and_raise(std::initializer_list<int> signals, bool finished = false) {
    ReportWriting writing(recording_);
    writing.begin(temporary_);
    if (finished) writing.finish();
    for (const int signal : signals) raise(signal);
  }

  test::TemporaryDirectory directory_;
  std::string recording_ = directory_.file("report.db.spool");
  std::string temporary_ = directory_.file("report.db.tmp");
};

TEST_F(ReportWritingDeathTest, TheSecondInterruptEnds) {
  EXPECT_EXIT(begin_and_raise({SIGINT, SIGINT}), testing::KilledBySignal(SIGINT),
              "stopped. The recording is kept. To make the report: prof recover " + recording_);
  EXPECT_TRUE(std::filesystem::exists(recording_));
  EXPECT_FALSE(std::filesystem::exists(temporary_));
}

TEST_F(ReportWritingDeathTest, ARequestToEndNamesTheRecording) {
  for (const int signal : {SIGTERM, SIGQUIT})
    EXPECT_EXIT(begin_and_raise({signal}), testing::KilledBySignal(signal),
                "prof recover " + recording_);
}

TEST_F(ReportWritingDeathTest, AWrittenReportNeedsNoRecording) {
  EXPECT_EXIT(begin_and_raise({SIGTERM}, true), testing::KilledBySignal(SIGTERM), "^$");
  EXPECT_FALSE(std::filesystem::exists(recording_));
}

TEST(ReportWriting, PutsBackWhatWas) {
  signal(SIGHUP, SIG_DFL);
  { const ReportWriting writing("report.db.spool"); }
  EXPECT_EQ(signal(SIGHUP, SIG_DFL), SIG_DFL);
}

TEST(ReportWriting, WhatIsIgnoredStaysIgnored) {
  signal(SIGINT, SIG_IGN);
  {
    const ReportWriting writing("report.db.spool");
    EXPECT_EQ(raise(SIGINT), 0);
    EXPECT_EQ(raise(SIGINT), 0);
  }
  EXPECT_EQ(signal(SIGINT, SIG_DFL), SIG_IGN);
}

}  // namespace
}  // namespace prof::cli
