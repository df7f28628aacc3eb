#include "injection/python/operators/layout_finder.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "tests/unit/injection/python/operators/made_up_torch.hpp"

namespace prof::test {
namespace {

using python::KnownCall;
using python::LayoutFinder;

// Runs the known calls. `change` changes each record function before the test sees it.
class LayoutFinderTest : public testing::Test {
 protected:
  using Change = std::function<void(KnownCall, MadeUpFunction&)>;

  bool finds_all(const Change& change = [](KnownCall, MadeUpFunction&) {}) {
    change_ = &change;
    const MadeUpList tensors{first_.value(), second_.value()};
    const MadeUpList dimension{integer(0)};
    const std::vector<Value> sum{first_.value(), second_.value(), integer(3)};
    call(KnownCall::kSum, sum);
    call(KnownCall::kBounds, {first_.value(), number(0.5), none()});
    call(KnownCall::kList, {tensors.value(), integer(0)});
    call(KnownCall::kFlag, {first_.value(), dimension.value(), flag(true), none()});
    call(KnownCall::kGradient, sum, 41);
    call(KnownCall::kGradientOn, sum, 42);
    return finder_.finish(found_);
  }

  TorchLayout found_ = {};

 private:
  void call(KnownCall which, const std::vector<Value>& arguments, std::int64_t sequence = -1) {
    MadeUpFunction function(arguments, sequence);
    function.words[kMadeUp.forward_thread / 8 + 1] = ++number_;
    (*change_)(which, function);
    finder_.expect(which, first_.value().payload, second_.value().payload);
    finder_.see(function.words);
    finder_.see(function.words);  // an operator inside of the known one does not count
  }

  MadeUpTensor first_{6, {2, 3}, {3, 1}};
  MadeUpTensor second_{6, {2, 3}, {3, 1}};
  std::uint64_t number_ = 1000;
  const Change* change_ = nullptr;
  LayoutFinder finder_;
};

TEST_F(LayoutFinderTest, FindsEverything) {
  ASSERT_TRUE(finds_all());
  EXPECT_EQ(found_.inputs, kMadeUp.inputs);
  EXPECT_EQ(found_.sequence, kMadeUp.sequence);
  EXPECT_EQ(found_.forward_thread, kMadeUp.forward_thread);
  EXPECT_EQ(found_.list, kMadeUp.list);
  EXPECT_EQ(found_.tensor_tag, kMadeUp.tensor_tag);
  EXPECT_EQ(found_.integer_tag, kMadeUp.integer_tag);
  EXPECT_EQ(found_.number_tag, kMadeUp.number_tag);
  EXPECT_EQ(found_.flag_tag, kMadeUp.flag_tag);
  EXPECT_EQ(found_.list_tag, kMadeUp.list_tag);
  EXPECT_EQ(found_.none_tag, kMadeUp.none_tag);
}

TEST_F(LayoutFinderTest, FindsNothingWithoutCalls) {
  TorchLayout layout;
  EXPECT_FALSE(LayoutFinder().finish(layout));
}

TEST_F(LayoutFinderTest, ArgumentsThatAreNotThere) {
  EXPECT_FALSE(finds_all([](KnownCall, MadeUpFunction& function) {
    function.words[kMadeUp.inputs / 8] = 0xdead0000beef;  // not mapped
  }));
}

TEST_F(LayoutFinderTest, OneCallWithoutItsArguments) {
  EXPECT_FALSE(finds_all([](KnownCall call, MadeUpFunction& function) {
    if (call == KnownCall::kFlag) --function.words[kMadeUp.inputs / 8 + 1];
  }));
}

TEST_F(LayoutFinderTest, ArgumentsInTwoPlaces) {
  EXPECT_FALSE(finds_all([](KnownCall, MadeUpFunction& function) {
    function.words[40] = function.words[kMadeUp.inputs / 8];
    function.words[41] = function.words[kMadeUp.inputs / 8 + 1];
  }));
}

TEST_F(LayoutFinderTest, SequenceThatStands) {
  EXPECT_FALSE(finds_all([](KnownCall call, MadeUpFunction& function) {
    if (call == KnownCall::kGradientOn) --function.words[kMadeUp.sequence / 8];
  }));
}

TEST_F(LayoutFinderTest, SequenceInTwoPlaces) {
  EXPECT_FALSE(finds_all([](KnownCall, MadeUpFunction& function) {
    function.words[30] = function.words[kMadeUp.sequence / 8];
  }));
}

TEST_F(LayoutFinderTest, FunctionsWithoutNumbers) {
  EXPECT_FALSE(finds_all([](KnownCall, MadeUpFunction& function) {
    function.words[kMadeUp.forward_thread / 8 + 1] = 7;
  }));
}

TEST_F(LayoutFinderTest, AForwardPassWithAForwardThread) {
  EXPECT_FALSE(finds_all([](KnownCall call, MadeUpFunction& function) {
    if (call == KnownCall::kList) function.words[kMadeUp.forward_thread / 8] = 5;
  }));
}

}  // namespace
}  // namespace prof::test
