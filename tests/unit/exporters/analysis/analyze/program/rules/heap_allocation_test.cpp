// Each report has a program with the problem, or one like it without the problem.
#include "tests/unit/exporters/analysis/analyze/program_fixture.hpp"

namespace prof::test {

namespace {

const TestFrame kNativeMain{"main"};
const TestFrame kOperatorNew{"operator new(unsigned long)",
                             "/usr/lib/x86_64-linux-gnu/libstdc++.so.6"};
TestFrame libc_frame(const std::string& symbol) { return {symbol, "/usr/lib/libc.so.6"}; }

class HeapAllocationTest : public ProgramFixture {
 protected:
  analyze::Finding find() {
    auto facts = this->facts();
    return plain(analyze::heap_allocation(facts));
  }
};

TEST_F(HeapAllocationTest, WhatProgramsCallIsNamedWithTheUsersCode) {
  runs(0, 100, 9);
  samples(0, 30,
          {libc_frame("_int_malloc"), libc_frame("malloc"), kOperatorNew, {"build"}, kNativeMain});
  samples(30, 45,
          {libc_frame("_int_free"), libc_frame("cfree@GLIBC_2.2.5"), {"drop"}, kNativeMain});
  samples(45, 100, {{"use"}, kNativeMain});
  ends(100);
  const analyze::Finding found = find();
  EXPECT_EQ(found.at_stake, 45 * kMs);
  EXPECT_EQ(found.evidence,
            "45 samples in operator new (67 %), free (33 %); called from build (/bin/app) (67 %), "
            "drop (/bin/app) (33 %)");
}

TEST_F(HeapAllocationTest, AFewAllocationsAreNoProblem) {
  runs(0, 200, 9);
  samples(0, 25, {libc_frame("malloc"), {"build"}, kNativeMain});
  samples(25, 200, {{"use"}, kNativeMain});
  ends(200);
  EXPECT_EQ(find().at_stake, 0);
}

TEST_F(HeapAllocationTest, TheKernelsPartBelongsToAnotherFinding) {
  runs(0, 100, 9);
  samples(0, 60,
          {kernel_frame("asm_exc_page_fault"), libc_frame("malloc"), {"build"}, kNativeMain});
  samples(60, 100, {{"use"}, kNativeMain});
  ends(100);
  EXPECT_EQ(find().at_stake, 0);
}

TEST_F(HeapAllocationTest, FunctionsOfOtherNamesDoNotCount) {
  runs(0, 100, 9);
  samples(0, 100, {{"Pool::free"}, {"operator newer(int)"}, {"mallocate"}, kNativeMain});
  ends(100);
  EXPECT_EQ(find().at_stake, 0);
}

}  // namespace

}  // namespace prof::test
