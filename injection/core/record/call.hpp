// Records one call of a wrapped function: reads the clock, calls the function, reads the clock, and
// writes a record if the call took long enough. Shorter calls are counted.
//
// During the real call prof holds nothing: no guard, no lock, no object with a destructor. So a
// thread may be cancelled in the call, or leave it by longjmp.
#pragma once

#include <cstdint>
#include <type_traits>

#include "common/wire/records.hpp"
#include "injection/core/clock.hpp"
#include "injection/core/foreign_threads.hpp"
#include "injection/core/function.hpp"
#include "injection/core/quiet_call.hpp"
#include "injection/core/record/capture.hpp"
#include "injection/core/record/countdowns.hpp"
#include "injection/core/record/short_calls.hpp"
#include "injection/core/thread_state.hpp"

namespace prof::core {

struct Call {
  std::uint64_t start;
  std::uintptr_t outer_frame;
  std::uint8_t level;
};

// True if the calling thread records its calls. If not, a wrapper only calls the real function: the
// thread may be a foreign one. always_inline: hundreds of wrappers use these functions, so the
// compiler would not inline them, and short calls would be slower.
[[gnu::always_inline]] inline bool records_calls_awake() {
  if (has_feature(wire::kFeatureOsrt) && t_state.calls == kRecorded) [[likely]]
    return true;
  // Volatile, so that the compiler does not load the word into a register for both tests.
  const volatile std::uint32_t& features = g_process.features;
  return (features & (wire::kFeatureOsrt | kForeignThreads)) != 0 &&
         call_quietly(find_whether_recorded);
}
// Like records_calls_awake(), and also tests dormancy.
[[gnu::always_inline]] inline bool records_calls() {
  return !is_dormant() && records_calls_awake();
}

// A call is nested if another wrapped call is in progress on this thread and its frame lies above
// this one. A call that was left by longjmp or cancellation leaves a stale frame. The next
// call at or above that frame detects and replaces it.
[[gnu::always_inline]] inline Call begin_call() {
  ThreadState& t = t_state;
  const std::uintptr_t frame = machine::stack_pointer();
  Call call;
  call.outer_frame = t.call_frame;
  call.level = call.outer_frame > frame ? static_cast<std::uint8_t>(t.call_level + 1) : 0;
  t.call_frame = frame;
  t.call_level = call.level;
  call.start = now();
  return call;
}

// Leaves a call without recording it.
[[gnu::always_inline]] inline void leave_call(const Call& call) {
  ThreadState& t = t_state;
  t.call_frame = call.level == 0 ? 0 : call.outer_frame;
  t.call_level = call.level == 0 ? 0 : static_cast<std::uint8_t>(call.level - 1);
}

// Forgets which names of functions were sent, because the next session does not know them.
void forget_sent_names();

void record_call(const Call& call, std::uint64_t end, Function function, std::int64_t result);

// Writes a record of the call, however long it took. The record stands for `weight` calls.
void record_weighted_call(const Call& call, std::uint64_t end, Function function,
                          std::int64_t result, std::uint32_t weight);

// Records the call's Python call chain and its stack copy, if it has them. Call it before the
// call's record is written.
void send_chain(const Call& call, std::uint64_t end, Function function);

// Ends a call: records or counts it. Keeps errno: only slow paths make system calls, and direct
// system calls do not set it.
[[gnu::always_inline]] inline void end_call(const Call& call, Function function,
                                            std::int64_t result) {
  const std::uint64_t end = now();
  leave_call(call);
  if (end - call.start >= g_process.osrt_threshold)
    record_call(call, end, function, result);
  else
    count_short_call(function, call.start, end);
}

// Returns a wrapped function's result as a record stores it.
template <class T>
inline std::int64_t as_result(T value) {
  if constexpr (std::is_pointer_v<T>)
    return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(value));
  else
    return static_cast<std::int64_t>(value);
}

// Calls `real` and records the call as a call of `function`.
template <class Real>
[[gnu::always_inline]] inline auto recorded_awake(Function function, Real real) {
  if (!records_calls_awake()) return real();
  const Call call = begin_call();
  if constexpr (std::is_void_v<decltype(real())>) {
    real();
    end_call(call, function, 0);
  } else {
    const auto result = real();
    end_call(call, function, as_result(result));
    return result;
  }
}
// Like record_call_awake(), and also tests dormancy.
template <class Real>
[[gnu::always_inline]] inline auto recorded(Function function, Real real) {
  if (is_dormant()) return real();
  return recorded_awake(function, real);
}

}  // namespace prof::core
