#include "collector/unwind/unwinder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>

#include "tests/unit/collector/unwind/stepped_process.hpp"

namespace prof::unwind::test {
namespace {

const std::string kPrograms = UNWIND_PROGRAMS;

struct Tally {
  std::size_t steps = 0, right = 0, complete = 0, wrong_complete = 0;
  std::map<std::string, std::size_t> failures;  // by what stopped it, and where
};

std::string place_of(const SteppedProcess& process, std::uint64_t address) {
  const Mapping* mapping = process.map().find(address, process.time());
  char text[300];
  std::snprintf(text, sizeof text, "%s+%lx",
                mapping && mapping->module ? mapping->module->path().c_str() : "?",
                mapping ? address - mapping->start + mapping->offset : address);
  return text;
}

Tally step_through(SteppedProcess& process) {
  Unwinder unwinder;
  CallChain chain;
  Tally tally;
  do {
    unwinder.unwind(process.map(), process.time(), process.registers(), process.stack(), chain);
    const auto truth = process.true_chain();
    const bool is_right = std::equal(
        truth.begin(), truth.end(), chain.frames.begin(), chain.frames.end(),
        [](std::uint64_t address, const Frame& frame) { return frame.address == address; });
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
  } while (process.step());
  return tally;
}

void print(const char* name, const Tally& tally) {
  std::printf("%s: %zu instructions, %zu complete, %zu right, %zu complete but wrong\n", name,
              tally.steps, tally.complete, tally.right, tally.wrong_complete);
  std::vector<std::pair<std::size_t, std::string>> worst;
  for (const auto& [what, count] : tally.failures) worst.emplace_back(count, what);
  std::sort(worst.rbegin(), worst.rend());
  for (std::size_t i = 0; i < std::min<std::size_t>(worst.size(), 25); ++i)
    std::printf("  %zu: %s\n", worst[i].first, worst[i].second.c_str());
}

TEST(Unwinder, KnowsEveryInstructionOfAProgram) {
  SteppedProcess process({kPrograms + "/whole", kPrograms + "/libplugin.so"});
  const Tally tally = step_through(process);
  print("whole", tally);
  EXPECT_TRUE(WIFEXITED(process.exit_status()));
  EXPECT_EQ(WEXITSTATUS(process.exit_status()), 0);
  EXPECT_GT(tally.steps, 50'000U);
  EXPECT_GE(tally.right * 1000, tally.steps * 999);
}

}  // namespace
}  // namespace prof::unwind::test
