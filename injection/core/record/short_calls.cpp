#include "injection/core/record/short_calls.hpp"

#include <atomic>

#include "injection/core/record/capture.hpp"
#include "injection/core/record/record_writer.hpp"

namespace prof::core {

namespace {

// Counters of a chunk have numbers that fit into ThreadState::counter_of.
constexpr std::uint32_t kMaxCounters = 255;

std::uint32_t counters_in(const ThreadState& t) {
  return t.chunk == nullptr ? 0 : t.chunk->counters.load(std::memory_order_relaxed);
}

// Each capture range has separate counters, because it may become a separate report.
std::uint8_t capture_number() {
  return has_feature(wire::kFeatureCaptureRange)
             ? static_cast<std::uint8_t>(
                   g_process.arena->captures_left.load(std::memory_order_relaxed))
             : 0;
}

// Stores the counter's number in the function's slot. With capture ranges slots stay empty, so that
// every call comes here and the range is checked.
void remember(ThreadState& t, Function function, std::uint32_t number) {
  if (!has_feature(wire::kFeatureCaptureRange))
    t.counter_of[slot_of(function)] = static_cast<std::uint8_t>(number);
}

wire::ShortCallCounter* find_counter(ThreadState& t, Function function) {
  if (t.serial != live_word() || t.capture != capture_number()) return nullptr;
  const std::uint32_t count = counters_in(t);
  for (std::uint32_t number = 1; number <= count; ++number) {
    wire::ShortCallCounter* counter = t.counters - number;
    if (counter->function != function.id) continue;
    remember(t, function, number);
    return counter;
  }
  return nullptr;
}

// Adds a counter at the end of the chunk.
wire::ShortCallCounter* add_counter(ThreadState& t, Function function, std::uint64_t first) {
  constexpr std::uint32_t kSize = sizeof(wire::ShortCallCounter);
  if (begin_record_here(kSize) == nullptr) return nullptr;
  const std::uint8_t capture = capture_number();
  const bool is_of_other_range = counters_in(t) > 0 && t.capture != capture;
  if (is_of_other_range || counters_in(t) == kMaxCounters) {
    retire_chunk(t);
    if (!prepare_chunk(t, kSize)) {
      t.writing = kIdle;
      return nullptr;
    }
  }
  t.capture = capture;
  t.limit -= kSize;
  const std::uint32_t number = counters_in(t) + 1;
  wire::ShortCallCounter* counter = t.counters - number;
  *counter = {0, 0, first, first, function.id, 0};
  // Pairs with the collector's acquire load: the counter is complete.
  t.chunk->counters.store(number, std::memory_order_release);
  remember(t, function, number);
  end_record(0);
  return counter;
}

void count(Function function, std::uint64_t start, std::uint64_t end, std::uint32_t calls = 1) {
  if (!is_named(function.id)) [[unlikely]]
    send_name(function);
  wire::ShortCallCounter* counter = find_counter(t_state, function);
  if (counter == nullptr) counter = add_counter(t_state, function, start);
  if (counter == nullptr) return;
  if (has_feature(wire::kFeatureCaptureRange)) counter->last = end;
  machine::add(counter->calls, calls);
  machine::add(counter->time, calls * (end - start));
}

// Stores a short call of a fork child that has not joined yet. Most fork children make a few short
// calls and exec. Joining would take longer than all of that, so their first short calls wait for a
// reason to join. Returns false if there is no free entry.
bool defer(Function function, std::uint64_t start, std::uint64_t end) {
  const std::uint32_t number = g_live.early_calls;
  if (number >= kMaxEarlyCalls) return false;
  g_live.early[number] = {function.id, function.own_slot, function.name, start, end};
  g_live.early_calls = number + 1;
  return true;
}

}  // namespace

void count_early_calls() {
  const std::uint32_t calls = g_live.early_calls;
  g_live.early_calls = 0;
  for (std::uint32_t i = 0; i < calls; ++i) {
    const EarlyCall& call = g_live.early[i];
    count({call.function, call.name, call.own_slot}, call.start, call.end);
  }
}

[[gnu::cold, gnu::noinline]] void count_short_call_slowly(Function function, std::uint64_t start,
                                                          std::uint64_t end) {
  count_short_calls(function, start, end, 1);
}

void count_short_calls(Function function, std::uint64_t start, std::uint64_t end,
                       std::uint32_t calls) {
  if (paused()) return;
  const std::uint32_t word = live_word();
  if (word == kOff || word == kUntilExec) return;
  if (word == kWiped && (!has_feature(wire::kFeatureForks) || defer(function, start, end))) return;
  if (g_live.early_calls != 0) count_early_calls();
  count(function, start, end, calls);
}

}  // namespace prof::core
