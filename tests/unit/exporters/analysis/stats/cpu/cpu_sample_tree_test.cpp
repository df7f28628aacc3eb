#include "tests/unit/exporters/sample_fixture.hpp"

namespace prof::stats {
namespace {

class CpuSampleTreeTest : public test::SampleFixture {};

TEST_F(CpuSampleTreeTest, TopDown) {
  add_shares();
  EXPECT_EQ(
      rows("cpu_sample_tree"),
      (Lines{"100.0,0.0,10,0,0,main,/bin/app", "50.0,50.0,5,5,1,  hot,/bin/app",
             "30.0,30.0,3,3,1,  warm,/bin/app", "20.0,0.0,2,0,1,  recursive,/bin/app",
             "20.0,0.0,2,0,2,    recursive,/bin/app", "20.0,20.0,2,2,3,      recursive,/bin/app"}));
}

TEST_F(CpuSampleTreeTest, WhatIsBelowTheThresholdIsLeftOut) {
  add_shares();
  EXPECT_EQ(rows("cpu_sample_tree:min=30").size(), 3U);
  EXPECT_EQ(rows("cpu_sample_tree:min=50.1").size(), 1U);
  add_samples(1000, {{"cold"}});
  EXPECT_EQ(rows("cpu_sample_tree"), (Lines{"99.0,99.0,1000,1000,0,cold,/bin/app"}));
  EXPECT_EQ(rows("cpu_sample_tree:min=0").size(), 7U);
}

TEST_F(CpuSampleTreeTest, BottomUp) {
  add_shares();
  add_samples(10, {{"hot"}, {"helper"}, {"main"}});
  EXPECT_EQ(rows("cpu_sample_tree:callers:min=20"),
            (Lines{"75.0,75.0,15,15,0,hot,/bin/app", "50.0,0.0,10,0,1,  helper,/bin/app",
                   "50.0,0.0,10,0,2,    main,/bin/app", "25.0,0.0,5,0,1,  main,/bin/app"}));
}

TEST_F(CpuSampleTreeTest, OfEachThreadItsOwn) {
  add_shares();
  EXPECT_EQ(rows("cpu_sample_tree:thread:min=50"),
            (Lines{"9,9,,100.0,0.0,8,0,0,main,/bin/app", "9,9,,62.5,62.5,5,5,1,  hot,/bin/app",
                   "9,10,worker,100.0,0.0,2,0,0,main,/bin/app",
                   "9,10,worker,100.0,0.0,2,0,1,  recursive,/bin/app",
                   "9,10,worker,100.0,0.0,2,0,2,    recursive,/bin/app",
                   "9,10,worker,100.0,100.0,2,2,3,      recursive,/bin/app"}));
}

TEST_F(CpuSampleTreeTest, MarksStandAtTheTop) {
  add_samples(1, {{"f"}, {"g"}, test::mark("[Broken backtraces]")});
  EXPECT_EQ(rows("cpu_sample_tree"),
            (Lines{"100.0,0.0,1,0,0,[Broken backtraces],", "100.0,0.0,1,0,1,  g,/bin/app",
                   "100.0,100.0,1,1,2,    f,/bin/app"}));
}

// Each address has its own symbol.
TEST_F(CpuSampleTreeTest, UnresolvedCodeOfAModuleIsOneFunction) {
  add_samples(1, {test::unresolved("0x1", "/lib/a.so")});
  add_samples(1, {test::unresolved("0x2", "/lib/a.so")});
  EXPECT_EQ(rows("cpu_sample_tree"), (Lines{"100.0,100.0,2,2,0,[a.so],/lib/a.so"}));
}

TEST_F(CpuSampleTreeTest, BadArguments) {
  for (const char* words : {"min=", "min=x", "min=-1", "min=nan", "line"})
    EXPECT_FALSE(parse_arguments(words, Takes::kTree)) << words;
  EXPECT_FALSE(parse_arguments("stack", Takes::kSamples));
}

TEST_F(CpuSampleTreeTest, InlinedFunctionsAreBelowTheirCallers) {
  add_inlined();
  EXPECT_EQ(rows("cpu_sample_tree:min=20"),
            (Lines{"100.0,0.0,10,0,0,main,/s/a.cpp:9", "90.0,0.0,9,0,1,  half,/s/a.cpp:5",
                   "90.0,0.0,9,0,2,    between (inlined),/s/b.h:2",
                   "60.0,60.0,6,6,3,      step (inlined),/s/a.cpp:1",
                   "30.0,30.0,3,3,3,      step (inlined),/s/a.cpp:3"}));
}

TEST_F(CpuSampleTreeTest, InlinedFunctionsCountWhereLinesAreNotShown) {
  add_inlined();
  shows_lines_ = false;
  EXPECT_EQ(rows("cpu_sample_tree:min=20"),
            (Lines{"100.0,0.0,10,0,0,main,/bin/app", "90.0,0.0,9,0,1,  half,/bin/app",
                   "90.0,0.0,9,0,2,    between,/bin/app", "90.0,90.0,9,9,3,      step,/bin/app"}));
}

// The program called write(). Where prof itself was at work, its functions are in the tree.
TEST_F(CpuSampleTreeTest, WrappersOfProfAreLeftOut) {
  const test::TestFrame wrapper{"prof_awake_write", "/opt/prof/libprof_inject.so"};
  add_samples(3, {{"write", "/lib/libc.so.6"}, wrapper, {"main"}});
  add_samples(1, {{"record_call", "/opt/prof/libprof_inject.so"}, wrapper, {"main"}});
  EXPECT_EQ(rows("cpu_sample_tree"),
            (Lines{"100.0,0.0,4,0,0,main,/bin/app", "75.0,75.0,3,3,1,  write,/lib/libc.so.6",
                   "25.0,0.0,1,0,1,  prof_awake_write,/opt/prof/libprof_inject.so",
                   "25.0,25.0,1,1,2,    record_call,/opt/prof/libprof_inject.so"}));
}

// The depth of inlining does not matter.
TEST_F(CpuSampleTreeTest, InlinedFunctionsAreTheSameForAllCallers) {
  add_inlined();
  add_lines(4000, false, {{"step", "/s/a.cpp", 1}, {"third", "/s/a.cpp", 6}});
  add_samples(10, {test::frame_at("third", 4000)});
  EXPECT_EQ(
      rows("cpu_sample_tree:callers:min=40"),
      (Lines{"80.0,80.0,16,16,0,step (inlined),/s/a.cpp:1", "50.0,0.0,10,0,1,  third,/s/a.cpp:6"}));
}

}  // namespace
}  // namespace prof::stats
