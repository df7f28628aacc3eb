#include "cli/output/report_writing.hpp"

#include <gtest/gtest.h>
#include <signal.h>

namespace prof::cli {
namespace {

TEST(ReportWriting, OutlivesTheFirstInterruptAndAClosedTerminal) {
  const ReportWriting writing;
  EXPECT_EQ(raise(SIGHUP), 0);
  EXPECT_EQ(raise(SIGPIPE), 0);
  EXPECT_EQ(raise(SIGINT), 0);
}

TEST(ReportWritingDeathTest, TheSecondInterruptEnds) {
  const auto interrupt_twice = [] {
    const ReportWriting writing;
    raise(SIGINT);
    raise(SIGINT);
  };
  EXPECT_EXIT(interrupt_twice(), testing::KilledBySignal(SIGINT), "prof recover");
}

TEST(ReportWriting, PutsBackWhatWas) {
  signal(SIGHUP, SIG_DFL);
  { const ReportWriting writing; }
  EXPECT_EQ(signal(SIGHUP, SIG_DFL), SIG_DFL);
}

TEST(ReportWriting, WhatIsIgnoredStaysIgnored) {
  signal(SIGINT, SIG_IGN);
  {
    const ReportWriting writing;
    EXPECT_EQ(raise(SIGINT), 0);
    EXPECT_EQ(raise(SIGINT), 0);
  }
  EXPECT_EQ(signal(SIGINT, SIG_DFL), SIG_IGN);
}

}  // namespace
}  // namespace prof::cli
