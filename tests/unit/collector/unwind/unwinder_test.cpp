#include "collector/unwind/unwinder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <sstream>
#include <string>

#include "tests/unit/collector/unwind/stepped_process.hpp"

namespace prof::unwind::test {
namespace {

const std::string kPrograms = UNWIND_PROGRAMS;

struct Tally {
  std::size_t steps = 0, right = 0, complete = 0, wrong_complete = 0;
  std::map<std::string, std::size_t> failures;  // by what stopped it, and where

  std::string description() const {
    std::ostringstream text;
    text << steps << " instructions, " << complete << " complete, " << right << " right, "
         << wrong_complete << " complete but wrong\n";
    for (const auto& [what, count] : failures) text << count << ": " << what << "\n";
    return text.str();
  }
};

std::string place_of(const SteppedProcess& process, std::uint64_t address) {
  const Mapping* mapping = process.map().find(address, process.time());
  char text[300];
  std::snprintf(text, sizeof text, "%s+%lx",
                mapping && mapping->module ? mapping->module->path().c_str() : "?",
                mapping ? address - mapping->start + mapping->offset : address);
  return text;
}

Tally step_through(SteppedProcess& process, bool is_whole = true) {
  Unwinder unwinder;
  CallChain chain;
  Tally tally;
  do {
    unwinder.unwind(process.map(), process.time(), process.registers(), process.stack(), chain);
    const auto truth = process.true_chain();
    // Watched from its first instruction on, the truth is all of the chain, else its inner part.
    const bool is_as_long =
        is_whole ? truth.size() == chain.frames.size() : truth.size() < chain.frames.size();
    const bool is_right = is_as_long && std::equal(truth.begin(), truth.end(), chain.frames.begin(),
                                                   [](std::uint64_t address, const Frame& frame) {
                                                     return frame.address == address;
                                                   });
    ++tally.steps;
    tally.right += is_right && chain.is_complete();
    tally.complete += chain.is_complete();
    if (is_right && chain.is_complete()) continue;
    tally.wrong_complete += chain.is_complete();
    // The first frame that differs, or the last one.
    std::size_t at = 0;
    while (at < truth.size() && at < chain.frames.size() && truth[at] == chain.frames[at].address)
      ++at;
    const auto blamed = at > 0 ? chain.frames[at - 1].lookup_address() : process.address();
    ++tally.failures[std::string(describe(chain.stop)) + " at " + place_of(process, blamed)];
  } while (process.step() && !process.is_at_breakpoint());
  return tally;
}

TEST(Unwinder, KnowsEveryInstructionOfAProgram) {
  SteppedProcess process({kPrograms + "/whole", kPrograms + "/libplugin.so"});
  const Tally tally = step_through(process);
  EXPECT_TRUE(WIFEXITED(process.exit_status()));
  EXPECT_EQ(WEXITSTATUS(process.exit_status()), 0);
  EXPECT_GT(tally.steps, 50'000U);
  // What is left: start files without call frame information, and longjmp's last instructions.
  EXPECT_GE(tally.right * 1000, tally.steps * 999) << tally.description();
}

TEST(Unwinder, KnowsEveryInstructionOfAnExceptionInFlight) {
  SteppedProcess process({kPrograms + "/exceptions"});
  ASSERT_TRUE(process.run());
  const Tally tally = step_through(process, false);
  EXPECT_GT(tally.steps, 5'000U);
  // Before libgcc jumps to a handler it overwrites what its own frames have saved: there the frames
  // say where it is going, not where it came from.
  EXPECT_GE(tally.right * 1000, tally.steps * 990) << tally.description();
}

struct Stopped {
  explicit Stopped(const std::string& program, const std::string& where = "")
      : process({kPrograms + "/" + program, where}) {
    EXPECT_TRUE(process.run());
  }
  CallChain unwind(UnwindOptions options = {}) {
    CallChain chain;
    Unwinder(options).unwind(process.map(), process.time(), process.registers(), process.stack(),
                             chain);
    return chain;
  }
  SteppedProcess process;
};

std::size_t count_method(const CallChain& chain, UnwindMethod method) {
  return static_cast<std::size_t>(
      std::count_if(chain.frames.begin(), chain.frames.end(),
                    [&](const Frame& frame) { return frame.method == method; }));
}

// The most often that one return address is in the chain.
std::size_t recursion_of(const CallChain& chain) {
  std::map<std::uint64_t, std::size_t> counts;
  std::size_t most = 0;
  for (const Frame& frame : chain.frames) most = std::max(most, ++counts[frame.address]);
  return most;
}

class EveryBuild : public testing::TestWithParam<std::pair<const char*, UnwindMethod>> {};

TEST_P(EveryBuild, IsUnwoundByWhatItHas) {
  Stopped stopped(GetParam().first);
  const CallChain chain = stopped.unwind();
  EXPECT_EQ(chain.stop, Stop::kComplete) << describe(chain.stop);
  EXPECT_EQ(recursion_of(chain), 30U);
  EXPECT_GE(count_method(chain, GetParam().second), 32U);
  EXPECT_EQ(chain.frames.front().method, UnwindMethod::kUnknown);
}

INSTANTIATE_TEST_SUITE_P(Unwinder, EveryBuild,
                         testing::Values(std::pair{"stops", UnwindMethod::kEhFrame},
                                         std::pair{"stops_frame_pointers",
                                                   UnwindMethod::kFramePointer},
                                         std::pair{"stops_debug_frame", UnwindMethod::kDebugFrame},
                                         std::pair{"stops_debug_file", UnwindMethod::kDebugFrame}),
                         [](const auto& info) { return std::string(info.param.first); });

TEST(Unwinder, GoesThroughCodeWithoutAFile) {
  Stopped stopped("stops", "jit");
  const CallChain chain = stopped.unwind();
  EXPECT_EQ(chain.stop, Stop::kComplete) << describe(chain.stop);
  EXPECT_EQ(recursion_of(chain), 30U);
  EXPECT_EQ(count_method(chain, UnwindMethod::kFramePointer), 1U);
  EXPECT_EQ(stopped.unwind({Policy::kFrameInfo}).stop, Stop::kNoFrame);
}

TEST(Unwinder, GoesOnFromACallOfANullPointer) {
  Stopped stopped("stops", "null");
  ASSERT_EQ(stopped.process.address(), 0U);
  const CallChain chain = stopped.unwind();
  EXPECT_EQ(chain.stop, Stop::kComplete) << describe(chain.stop);
  EXPECT_EQ(recursion_of(chain), 30U);
}

TEST(Unwinder, FramePointersAloneGetThroughAProgramThatHasThem) {
  Stopped stopped("stops_frame_pointers");
  const CallChain chain = stopped.unwind({Policy::kFramePointer});
  EXPECT_EQ(recursion_of(chain), 30U);
  EXPECT_EQ(count_method(chain, UnwindMethod::kEhFrame), 0U);
}

TEST(Unwinder, SaysThatTheCopyOfTheStackEnds) {
  Stopped stopped("stops");
  const CallChain whole = stopped.unwind();
  SteppedProcess shorter({kPrograms + "/stops"}, 512);
  ASSERT_TRUE(shorter.run());
  CallChain chain;
  Unwinder().unwind(shorter.map(), shorter.time(), shorter.registers(), shorter.stack(), chain);
  EXPECT_EQ(chain.stop, Stop::kTruncated) << describe(chain.stop);
  EXPECT_GT(chain.frames.size(), 3U);
  EXPECT_LT(chain.frames.size(), whole.frames.size());
}

TEST(Unwinder, StopsAtTheDepthThatWasAskedFor) {
  const CallChain chain = Stopped("stops").unwind({Policy::kAuto, 10});
  EXPECT_EQ(chain.stop, Stop::kDepth);
  EXPECT_EQ(chain.frames.size(), 10U);
}

TEST(Unwinder, EndsWithoutAnything) {
  Modules modules;
  const ModuleMap map(modules);
  CallChain chain;
  Unwinder().unwind(map, 0, {}, {0, {}}, chain);
  EXPECT_EQ(chain.frames.size(), 1U);
  EXPECT_EQ(chain.stop, Stop::kBadReturnAddress);
}

}  // namespace
}  // namespace prof::unwind::test
