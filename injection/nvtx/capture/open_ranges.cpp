#include "injection/nvtx/capture/open_ranges.hpp"

#include <atomic>

#include "common/wire/nvtx_records.hpp"
#include "injection/core/doors.hpp"
#include "injection/core/layout.hpp"
#include "injection/core/record/capture.hpp"
#include "injection/core/record/record_writer.hpp"
#include "injection/nvtx/domains.hpp"

namespace prof::nvtx {

namespace {

constexpr std::uint32_t kMaxThreads = 64;  // that have open ranges at the same time: bits of a word
constexpr std::uint32_t kMaxKept = 64;

enum class WrittenAs : std::uint8_t { kNothing, kGraphRange, kEvent };

struct KeptRange {
  std::uint64_t start;
  std::uint64_t text;
  std::uint32_t domain;
  std::uint8_t flags;
  WrittenAs written;
};
struct RangeStack {
  std::uint32_t live;  // the live word of the process image that wrote ranges
  std::uint32_t depth;
  std::uint32_t left_out;  // ranges that are open above the last level
  KeptRange ranges[kMaxKept];
};
PROF_SELDOM constinit RangeStack g_range_stacks[kMaxThreads]{};
PROF_SELDOM constinit std::atomic<std::uint64_t> g_stacks_used{0};  // a bit for each stack

// Returns this thread's stack, or null: none is free. A thread without open ranges has none.
RangeStack* find_stack() {
  std::uint8_t& number = core::t_state.open_ranges;
  if (number != 0) return &g_range_stacks[number - 1];
  std::uint64_t used = g_stacks_used.load(std::memory_order_relaxed);
  int free = 0;
  do {
    if (~used == 0) return nullptr;
    free = __builtin_ctzll(~used);
  } while (
      // Acquire pairs with the release of the thread that had the stack.
      !g_stacks_used.compare_exchange_weak(used, used | std::uint64_t{1} << free,
                                           std::memory_order_acquire, std::memory_order_relaxed));
  number = static_cast<std::uint8_t>(free + 1);
  g_range_stacks[free].depth = 0;
  g_range_stacks[free].left_out = 0;
  return &g_range_stacks[free];
}

void release_stack() {
  std::uint8_t& number = core::t_state.open_ranges;
  g_stacks_used.fetch_and(~(std::uint64_t{1} << (number - 1)), std::memory_order_release);
  number = 0;
}

// Returns whether the range was written. `end` is 0 if the range is still open.
bool write_kept(const KeptRange& range, std::uint64_t end) {
  return core::append(
      wire::NvtxGraphRangeRecord{core::header_of<wire::NvtxGraphRangeRecord>(
                                     wire::RecordType::kNvtxGraphRange, range.domain, range.flags),
                                 range.start, end, range.text});
}

// A fork child has the ranges of its parent's thread, and has not written them.
void forget_writes_of_parent(RangeStack& stack) {
  const std::uint32_t live = core::live_word();
  if (stack.live != live)
    for (std::uint32_t i = 0; i < stack.depth; ++i) stack.ranges[i].written = WrittenAs::kNothing;
  stack.live = live;
}

}  // namespace

bool keeps_open_ranges() {
  const std::uint32_t flags = core::g_process.config.cuda.flags;
  if (!core::has_feature(wire::kFeatureCuda)) return false;
  return (flags & wire::kCudaKernelProfiles) != 0 ||
         ((flags & wire::kCudaGraphNodes) != 0 && core::has_feature(wire::kFeatureCaptureRange));
}

void range_opened(const OpenedRange& range) {
  RangeStack* const stack = find_stack();
  if (stack == nullptr) return;
  if (stack->depth == 0) stack->live = core::live_word();
  if (stack->depth == kMaxKept) {
    ++stack->left_out;
    return;
  }
  stack->ranges[stack->depth++] = {range.start, range.text, range.domain, range.flags,
                                   range.recorded ? WrittenAs::kEvent : WrittenAs::kNothing};
}

// Ranges of different domains may overlap, so the innermost one may be of another domain.
void range_closed(std::uint32_t domain, std::uint64_t end) {
  if (core::t_state.open_ranges == 0) return;
  RangeStack& stack = *find_stack();
  if (stack.left_out != 0) {
    --stack.left_out;
    return;
  }
  std::uint32_t at = stack.depth;
  while (at != 0 && stack.ranges[at - 1].domain != domain) --at;
  if (at == 0) return;
  if (stack.ranges[at - 1].written == WrittenAs::kGraphRange) write_kept(stack.ranges[at - 1], end);
  for (; at < stack.depth; ++at) stack.ranges[at - 1] = stack.ranges[at];
  if (--stack.depth == 0) release_stack();
}

}  // namespace prof::nvtx

namespace prof::core {

std::size_t ranges_around(RangeAround* ranges, std::size_t room) {
  if (t_state.open_ranges == 0) return 0;
  const nvtx::RangeStack& stack = *nvtx::find_stack();
  std::size_t count = 0;
  for (; count < stack.depth && count < room; ++count) {
    const nvtx::KeptRange& range = stack.ranges[count];
    ranges[count] = {nvtx::name_of_domain(range.domain), range.text};
  }
  return count;
}

void record_open_ranges() {
  if (t_state.open_ranges == 0 || !paused()) return;
  nvtx::RangeStack& stack = *nvtx::find_stack();
  nvtx::forget_writes_of_parent(stack);
  for (std::uint32_t i = 0; i < stack.depth; ++i) {
    nvtx::KeptRange& range = stack.ranges[i];
    if (range.written == nvtx::WrittenAs::kNothing && nvtx::write_kept(range, 0))
      range.written = nvtx::WrittenAs::kGraphRange;
  }
}

}  // namespace prof::core
