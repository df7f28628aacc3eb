#include "common/code/unwind/expression.hpp"

#include <dwarf.h>
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <vector>

namespace prof::unwind {
namespace {

using Expression = std::vector<Operation>;

std::optional<std::uint64_t> value_of(const Expression& expression, std::uint64_t rip = 0) {
  static constexpr std::array<std::uint64_t, 4> kMemory = {1, 2, 0x1122334455667788, 4};
  Registers registers;
  registers.set(kRsp, 0x1000);
  registers.set(kRip, rip);
  const StackSlice stack(0x1000, std::as_bytes(std::span(kMemory)));
  return evaluate(expression, registers, stack, 0x2000);
}

// CFA = rsp + 8 + ((rip & 15) >= 11) * 8: linkers describe a PLT entry this way.
TEST(Expression, OfAPltEntryDependsOnTheInstruction) {
  const Expression plt = {{DW_OP_breg7, 8, 0}, {DW_OP_breg16, 0, 0}, {DW_OP_lit15},
                          {DW_OP_and},         {DW_OP_lit11},        {DW_OP_ge},
                          {DW_OP_lit3},        {DW_OP_shl},          {DW_OP_plus}};
  EXPECT_EQ(value_of(plt, 0x40a), 0x1008U);
  EXPECT_EQ(value_of(plt, 0x40b), 0x1010U);
}

TEST(Expression, ReadsTheStackAndNothingElse) {
  EXPECT_EQ(value_of({{DW_OP_breg7, 8, 0}, {DW_OP_deref}}), 2U);
  EXPECT_EQ(value_of({{DW_OP_breg7, 16, 0}, {DW_OP_deref_size, 4}}), 0x55667788U);
  EXPECT_FALSE(value_of({{DW_OP_breg7, 25, 0}, {DW_OP_deref}}));
  EXPECT_FALSE(value_of({{DW_OP_breg7, -8, 0}, {DW_OP_deref}}));
  EXPECT_FALSE(value_of({{DW_OP_lit0}, {DW_OP_deref}}));
}

TEST(Expression, KnowsTheFrameAddress) {
  EXPECT_EQ(value_of({{DW_OP_call_frame_cfa}, {DW_OP_plus_uconst, -8}}), 0x1ff8U);
}

TEST(Expression, BranchesGoToOperations) {
  EXPECT_EQ(value_of({{DW_OP_lit1}, {DW_OP_bra, 3}, {DW_OP_lit5}, {DW_OP_lit7}}), 7U);
  EXPECT_EQ(value_of({{DW_OP_lit0}, {DW_OP_bra, 3}, {DW_OP_lit5}}), 5U);
}

TEST(Expression, NeverGoesOnForever) {
  EXPECT_FALSE(value_of({{DW_OP_skip, 0}}));
  EXPECT_FALSE(value_of({{DW_OP_lit1}, {DW_OP_skip, 0}}));
}

TEST(Expression, FailuresAreNotValues) {
  EXPECT_FALSE(value_of({}));
  EXPECT_FALSE(value_of({{DW_OP_plus}}));
  EXPECT_FALSE(value_of({{DW_OP_lit1}, {DW_OP_lit0}, {DW_OP_div}}));
  EXPECT_FALSE(value_of({{DW_OP_lit1}, {DW_OP_lit0}, {DW_OP_mod}}));
  EXPECT_FALSE(value_of({{DW_OP_breg3, 0, 0}})) << "rbx is not known";
  EXPECT_FALSE(value_of({{DW_OP_bregx, 99, 0}}));
  EXPECT_FALSE(value_of({{DW_OP_push_object_address}}));
}

TEST(Expression, ArithmeticHasNoTraps) {
  const auto lowest = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(value_of({{DW_OP_const8s, lowest}, {DW_OP_const1s, -1}, {DW_OP_div}}), 1ULL << 63);
  EXPECT_EQ(value_of({{DW_OP_const8s, lowest}, {DW_OP_abs}}), 1ULL << 63);
  EXPECT_EQ(value_of({{DW_OP_lit1}, {DW_OP_const1u, 200}, {DW_OP_shl}}), 0U);
  EXPECT_EQ(value_of({{DW_OP_const1s, -8}, {DW_OP_const1u, 200}, {DW_OP_shra}}), ~0ULL);
}

TEST(Expression, MovesItsStack) {
  EXPECT_EQ(value_of({{DW_OP_lit7}, {DW_OP_lit2}, {DW_OP_swap}, {DW_OP_minus}}),
            static_cast<std::uint64_t>(-5));
  EXPECT_EQ(value_of({{DW_OP_lit1}, {DW_OP_lit2}, {DW_OP_lit3}, {DW_OP_rot}}), 2U);
  EXPECT_EQ(value_of({{DW_OP_lit9}, {DW_OP_lit2}, {DW_OP_pick, 1}}), 9U);
  EXPECT_FALSE(value_of({{DW_OP_lit9}, {DW_OP_pick, -1}}));
}

}  // namespace
}  // namespace prof::unwind
