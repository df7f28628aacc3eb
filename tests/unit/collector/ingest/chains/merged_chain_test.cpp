#include "collector/ingest/chains/merged_chain.hpp"

#include <gtest/gtest.h>

#include <string>

namespace prof::ingest {
namespace {

using report::StackFrame;

constexpr char kEvaluation = 'E';
constexpr char kMark = '!';

// Lower case: Python frames. A bar: native code between them.
StackFrame frame(char name) {
  StackFrame frame;
  frame.symbol = name;
  frame.is_special = name == kMark || name == '?';
  return frame;
}

std::string merged(const std::string& native, const std::string& python) {
  std::vector<StackFrame> frames;
  for (const char c : native) frames.push_back(frame(c));
  std::vector<PythonChainFrame> of_python;
  bool below_native = false;
  for (const char c : python) {
    if (c != '|') of_python.push_back({frame(c), below_native});
    below_native = c == '|';
  }
  std::string text;
  for (const StackFrame& each : merge_chains(
           frames, of_python, [](const StackFrame& some) { return some.symbol == kEvaluation; }))
    text += static_cast<char>(each.symbol);
  return text;
}

TEST(MergedChain, EachRunTakesThePlaceOfItsEvaluation) {
  EXPECT_EQ(merged("AEBECD", "a|b"), "AaBbCD");
  EXPECT_EQ(merged("AEBECD", "ab|cde"), "AabBcdeCD");
}

TEST(MergedChain, OneOfThemAlone) {
  EXPECT_EQ(merged("ABC", ""), "ABC");
  EXPECT_EQ(merged("", "a|b"), "ab");
  EXPECT_EQ(merged("", "a|b?"), "ab?");
  EXPECT_EQ(merged("", ""), "");
}

TEST(MergedChain, WhatTheCopiedStackDidNotReachFollows) {
  EXPECT_EQ(merged("AEB!", "a|b|c"), "AaBbc!");
  EXPECT_EQ(merged("AB!", "a|b"), "ABab!");
}

TEST(MergedChain, PythonsChainIsTheShorterOne) {
  EXPECT_EQ(merged("AEBECED", "a|b?"), "AaBbCED?");
  EXPECT_EQ(merged("AEBECED!", "a|b?"), "AaBbCED!");
}

TEST(MergedChain, CountsThatDoNotFit) {
  EXPECT_EQ(merged("AEBECED", "a|b"), "AabBCD");
  EXPECT_EQ(merged("AEB", "a|b|c"), "AabcB");
  EXPECT_EQ(merged("ABC", "a|b"), "abABC");
}

}  // namespace
}  // namespace prof::ingest
