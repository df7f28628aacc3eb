#include "common/code/unwind/straight_code.hpp"

#include <gtest/gtest.h>

#include <string>

namespace prof::unwind {
namespace {

using namespace std::string_literals;

std::optional<StraightFrame> follow(const std::string& code) {
  return follow_straight_code(std::as_bytes(std::span(code)));
}

TEST(StraightCode, StackThatIsGivenBackBeforeTheReturn) {
  // add $8, %rsp; ret: the code after the call in a trampoline of CPython
  const auto frame = follow("\x48\x83\xc4\x08\xc3"s);
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->return_address.base, kRsp);
  EXPECT_EQ(frame->return_address.offset, 8);
  EXPECT_EQ(frame->restored_count, 0U);
}

TEST(StraightCode, TheWholeTrampoline) {
  // endbr64; sub $8, %rsp; call *%rcx; add $8, %rsp; ret
  const auto frame = follow("\xf3\x0f\x1e\xfa\x48\x83\xec\x08\xff\xd1\x48\x83\xc4\x08\xc3"s);
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->return_address.offset, 0);
}

TEST(StraightCode, RegistersThatAreTakenOffTheStack) {
  // pop %rbx; pop %r12; pop %rbp; ret
  const auto frame = follow("\x5b\x41\x5c\x5d\xc3"s);
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->return_address.offset, 24);
  ASSERT_EQ(frame->restored_count, 3U);
  EXPECT_EQ(frame->restored[0].first, kRbx);
  EXPECT_EQ(frame->restored[1].first, kR12);
  EXPECT_EQ(frame->restored[1].second.offset, 8);
  EXPECT_EQ(frame->restored[2].first, kRbp);
}

TEST(StraightCode, LeaveGoesByTheFramePointer) {
  const auto frame = follow("\xc9\xc3"s);
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->return_address.base, kRbp);
  EXPECT_EQ(frame->return_address.offset, 8);
  // push %rbp; mov %rsp, %rbp; call *%rcx; pop %rbp; ret: from its first instruction
  const auto whole = follow("\x55\x48\x89\xe5\xff\xd1\x5d\xc3"s);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->return_address.base, kRsp);
  EXPECT_EQ(whole->return_address.offset, 0);
  EXPECT_EQ(whole->restored_count, 0U);
}

TEST(StraightCode, AnythingElseIsNotFollowed) {
  EXPECT_FALSE(follow(""));
  EXPECT_FALSE(follow("\x48\x83\xc4"s));                  // the bytes end within an instruction
  EXPECT_FALSE(follow("\x48\x83\xc4\x08"s));              // before the return
  EXPECT_FALSE(follow("\x75\xfa\x48\x83\xc4\x08\xc3"s));  // a branch
  EXPECT_FALSE(follow("\x48\x83\xec\x08\xc3"s));          // returns from below its frame
  EXPECT_FALSE(follow("\x55\x5b\xc3"s));                  // pops into another register
}

}  // namespace
}  // namespace prof::unwind
