// Call chains of this process on aarch64, beside libgcc's. Compiled with signed return addresses.
#include <execinfo.h>
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "common/code/unwind/process_maps.hpp"
#include "common/code/unwind/unwinder.hpp"
#include "injection/core/machine/machine.hpp"

namespace prof::unwind {
namespace {

struct Seen {
  Registers registers;
  std::vector<std::byte> stack;
  std::vector<std::uint64_t> truth;  // libgcc's, from the caller of take() on
};

[[gnu::noinline]] Seen take() {
  Seen seen;
  wire::StackRegisters taken;
  core::machine::take_registers(taken);
  for (std::size_t i = 0; i < std::size(taken.values); ++i)
    seen.registers.set(wire::kStackRegisterNumbers[i], taken.values[i]);
  const auto* first = reinterpret_cast<const std::byte*>(taken.stack());
  seen.stack.assign(first, first + 8192);
  void* addresses[64];
  const int count = backtrace(addresses, 64);
  for (int i = 1; i < count; ++i)
    seen.truth.push_back(reinterpret_cast<std::uint64_t>(addresses[i]));
  return seen;
}

[[gnu::noinline]] Seen deep(int levels) {
  char room[64];
  std::memset(room, levels, sizeof room);
  asm volatile("" : : "r"(room) : "memory");
  Seen seen = levels == 0 ? take() : deep(levels - 1);
  asm volatile("" : : "r"(room) : "memory");
  return seen;
}

CallChain unwind_here(const Registers& registers, const std::vector<std::byte>& stack,
                      UnwindOptions options = {}) {
  Modules modules;
  ModuleMap map(modules);
  const auto maps = read_process_maps("self");
  for (const MapEvent& each : *maps) map.add(each);
  CallChain chain;
  Unwinder(options).unwind(map, 0, registers, {registers[kStackPointer], stack}, chain);
  return chain;
}

TEST(UnwinderOfAarch64, FindsTheCallersThatLibgccFinds) {
  const Seen seen = deep(20);
  const CallChain chain = unwind_here(seen.registers, seen.stack);
  ASSERT_GT(seen.truth.size(), 20U);
  ASSERT_GT(chain.frames.size(), 21U) << describe(chain.stop);
  for (std::size_t i = 0; i <= 21; ++i)
    EXPECT_EQ(chain.frames[i + 1].address, seen.truth[i]) << i << ": " << describe(chain.stop);
}

TEST(UnwinderOfAarch64, FollowsFramePointers) {
  const Seen seen = deep(20);
  const CallChain chain =
      unwind_here(seen.registers, seen.stack, {.policy = Policy::kFramePointer});
  ASSERT_GT(chain.frames.size(), 21U) << describe(chain.stop);
  for (std::size_t i = 0; i <= 20; ++i) EXPECT_EQ(chain.frames[i + 1].address, seen.truth[i]) << i;
}

// The code that a handler returns to has no call frame information in the kernel's library.
TEST(UnwinderOfAarch64, ReadsTheFrameOfASignal) {
  Modules modules;
  ModuleMap map(modules);
  const auto maps = read_process_maps("self");
  std::uint64_t trampoline = 0;
  for (const MapEvent& each : *maps) {
    map.add(each);
    if (each.path == "[vdso]") trampoline = each.start + 8;
  }
  if (trampoline == 0) GTEST_SKIP() << "no [vdso] is mapped";
  const auto inside = reinterpret_cast<std::uint64_t>(&backtrace) + 4;
  std::vector<std::uint64_t> words(kRegistersInSignalFrame / 8 + kRegisterCount);
  for (unsigned i = 0; i < kRegisterCount; ++i) words[kRegistersInSignalFrame / 8 + i] = 100 + i;
  words[kRegistersInSignalFrame / 8 + kProgramCounter] = inside;
  constexpr std::uint64_t kStack = 0x10000;
  // A handler without a frame, at the first instruction of a function: it returns to the
  // trampoline.
  Registers handler;
  handler.set(kProgramCounter, reinterpret_cast<std::uint64_t>(&unwind_here));
  handler.set(kStackPointer, kStack);
  handler.set(kX30, trampoline);
  CallChain chain;
  const auto bytes = std::as_bytes(std::span(words));
  Unwinder().unwind(map, 0, handler, {kStack, bytes}, chain);
  ASSERT_GE(chain.frames.size(), 3U) << describe(chain.stop);
  EXPECT_EQ(chain.frames[1].address, trampoline);
  EXPECT_EQ(chain.frames[2].address, inside);
  EXPECT_TRUE(chain.frames[2].is_exact);
}

}  // namespace
}  // namespace prof::unwind
