#include "common/code/unwind/unwinder.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <ucontext.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <map>
#include <sstream>
#include <string>
#include <thread>

#include "tests/unit/common/code/unwind/stepped_process.hpp"

namespace prof::unwind::test {
namespace {

const std::string kPrograms = UNWIND_PROGRAMS;

struct Tally {
  std::size_t steps = 0, right = 0, complete = 0, wrong_complete = 0;
  std::map<std::string, std::size_t> failures;  // by reason and place

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
    // If the program was watched from its first instruction on, the true chain is complete.
    // Otherwise it is the inner part.
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
    // The first different frame, or the last one.
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
  // Failures that remain: start files without call frame information, and the end of longjmp.
  EXPECT_GE(tally.right * 1000, tally.steps * 999) << tally.description();
}

TEST(Unwinder, KnowsEveryInstructionOfAnExceptionInFlight) {
  SteppedProcess process({kPrograms + "/exceptions"});
  ASSERT_TRUE(process.run());
  const Tally tally = step_through(process, false);
  EXPECT_GT(tally.steps, 5'000U);
  // Before libgcc jumps to a handler, it overwrites the saved registers of its own frames. Then
  // they lead to the handler, not to the callers.
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

// How often the most frequent return address is in the chain.
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

// What a signal handler sees: the registers at the signal (`interrupted`) and in itself (`here`).
struct Seen {
  Registers interrupted, here;
  std::vector<std::byte> interrupted_stack, own_stack;
};
Seen* g_seen = nullptr;
std::uint64_t g_stack_end = 0, g_own_stack_end = 0;

// No memcpy, because the sanitizer reports reads between variables of other functions.
__attribute__((no_sanitize("address", "thread"))) std::vector<std::byte> copy_stack(
    std::uint64_t from, std::uint64_t end) {
  std::vector<std::byte> copy(std::min<std::uint64_t>(end - from, 65536));
  std::byte* to = copy.data();
  const auto* bytes = reinterpret_cast<const volatile std::byte*>(from);
  for (std::size_t size = copy.size(), i = 0; i < size; ++i) to[i] = bytes[i];
  return copy;
}

Registers to_registers(const ucontext_t& context) {
  const int order[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
                       REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                       REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
  Registers registers;
  for (unsigned i = 0; i < kRegisterCount; ++i)
    registers.set(i, static_cast<std::uint64_t>(context.uc_mcontext.gregs[order[i]]));
  return registers;
}

void on_signal(int, siginfo_t*, void* context) {
  ucontext_t here;
  getcontext(&here);
  g_seen->interrupted = to_registers(*static_cast<ucontext_t*>(context));
  g_seen->here = to_registers(here);
  g_seen->interrupted_stack = copy_stack(g_seen->interrupted[kRsp], g_stack_end);
  g_seen->own_stack = copy_stack(g_seen->here[kRsp], g_own_stack_end);
}

// Runs in a new thread. with_own_stack: the handler runs on an alternate stack.
Seen see_in_thread(bool with_own_stack) {
  Seen seen;
  g_seen = &seen;
  std::thread([&] {
    pthread_attr_t attributes;
    pthread_getattr_np(pthread_self(), &attributes);
    void* stack = nullptr;
    std::size_t size = 0;
    pthread_attr_getstack(&attributes, &stack, &size);
    pthread_attr_destroy(&attributes);
    g_own_stack_end = g_stack_end = reinterpret_cast<std::uint64_t>(stack) + size;
    std::vector<std::byte> memory(65536);
    if (with_own_stack) {
      const stack_t own{memory.data(), 0, memory.size()};
      sigaltstack(&own, nullptr);
      g_own_stack_end = reinterpret_cast<std::uint64_t>(memory.data() + memory.size());
    }
    struct sigaction action {
    }, before{};
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | (with_own_stack ? SA_ONSTACK : 0);
    sigaction(SIGUSR1, &action, &before);
    raise(SIGUSR1);
    sigaction(SIGUSR1, &before, nullptr);
    const stack_t none{nullptr, SS_DISABLE, 0};
    sigaltstack(&none, nullptr);
  }).join();
  return seen;
}

CallChain unwind_here(const Registers& registers, const std::vector<std::byte>& stack) {
  Modules modules;
  ModuleMap map(modules);
  const auto maps = read_process_maps("self");
  for (const MapEvent& each : *maps) map.add(each);
  CallChain chain;
  Unwinder().unwind(map, 0, registers, {registers[kRsp], stack}, chain);
  return chain;
}

// The thread sanitizer delays signal handlers.
#ifdef __SANITIZE_THREAD__
constexpr bool kHandlersAreDirect = false;
#else
constexpr bool kHandlersAreDirect = true;
#endif

TEST(Unwinder, ReachesTheStartOfAThreadThroughASignalHandler) {
  if (!kHandlersAreDirect) GTEST_SKIP();
  const Seen seen = see_in_thread(false);
  const CallChain outer = unwind_here(seen.interrupted, seen.interrupted_stack);
  const CallChain inner = unwind_here(seen.here, seen.own_stack);
  EXPECT_EQ(outer.stop, Stop::kComplete) << describe(outer.stop);
  EXPECT_EQ(inner.stop, Stop::kComplete) << describe(inner.stop);
  // The chain has the handler, __restore_rt, and the interrupted function at the exact instruction.
  ASSERT_EQ(inner.frames.size(), outer.frames.size() + 2);
  EXPECT_TRUE(inner.frames[2].is_exact);
  for (std::size_t i = 0; i < outer.frames.size(); ++i)
    EXPECT_EQ(inner.frames[i + 2].address, outer.frames[i].address) << i;
}

TEST(Unwinder, SaysThatItGoesOnOnAnotherStack) {
  if (!kHandlersAreDirect) GTEST_SKIP();
  const Seen seen = see_in_thread(true);
  const CallChain chain = unwind_here(seen.here, seen.own_stack);
  EXPECT_EQ(chain.stop, Stop::kOutsideStack) << describe(chain.stop);
  ASSERT_EQ(chain.frames.size(), 3U);
  EXPECT_EQ(chain.frames[2].address, seen.interrupted[kRip]);
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
