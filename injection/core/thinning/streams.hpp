// What a thread knows of its streams (thinning.hpp). Private memory, all zero at first and again in
// a fork child.
#pragma once

#include <atomic>
#include <cstdint>

#include "common/wire/thinning_records.hpp"
#include "injection/core/record/countdowns.hpp"
#include "injection/core/thinning/thinning.hpp"

namespace prof::core {

inline constexpr std::uint32_t kThinnedFunctions = 512;  // those of osrt
static_assert(kThinnedFunctions == wire::kProcessFunctions);
inline constexpr std::uint32_t kRangeTexts = 64;
inline constexpr std::uint32_t kCountdowns = kThinnedFunctions + kRangeTexts;
inline constexpr std::uint32_t kMostStreams = 128;
inline constexpr std::uint32_t kThinnedKinds = 2;  // wire::Thinned

struct Stream {
  double mean_square;  // of durations; clock units squared
  double squares;      // the same since the last decision, added up
  double rate;         // events in a clock unit of CPU time
  float every;
  std::uint32_t events, recorded;  // since the last decision
  std::uint32_t countdown;         // number of its countdown
  bool is_always_recorded;         // no countdown is asked
};

// Text of ranges. A text that begins at another address has another entry with the same hash.
struct RangeName {
  std::uint64_t words[2], masks[2];  // its first bytes with the final zero, and which count
  std::uint64_t hash;
  std::uint32_t domain;
  bool is_whole;  // the words have all of it
};

struct ThreadStreams {
  Countdown countdowns[kCountdowns];  // first: ThreadState::countdowns points here
  std::atomic<std::uint32_t> serial;  // of the process; 0: free
  std::uint32_t tid;
  std::uint64_t random;
  // --- the budget, in clock units
  std::uint64_t decided;         // when
  std::uint64_t decided_cpu;     // CPU time of the thread then, ns
  double credit;                 // what was saved, or overdrawn if negative
  double record_cost;            // of a recorded event, with the reading of the clock
  std::uint32_t recorded;        // since the last decision
  std::uint32_t most_recorded;   // before the next one
  std::uint32_t until_measured;  // records until the next one whose cost is measured
  // --- for the report, since `noted`
  std::uint64_t noted;
  std::uint64_t events[kThinnedKinds], kept[kThinnedKinds];
  double cost;
  // --- streams
  std::uint32_t streams_used;
  std::uint8_t stream_of[kCountdowns];  // 0: none
  Stream streams[kMostStreams];         // the first one is not used
  // --- ranges
  std::uint32_t names_used;
  std::uint8_t recent[64];       // by address of the text: number of its name
  RangeName names[kRangeTexts];  // the first one stands for all that found no room
  std::uint64_t left_out[kTrackedDomains];
  std::uint32_t open_used;
  OpenRange open[kLevels];
};

// Those of the calling thread, in this process. Null: it has none, or none any more (fork).
ThreadStreams* streams_here();
// The same. Gives the thread some if it has none, if that is possible.
ThreadStreams* streams_for_thread();

// An event was recorded. Decides again if it is time.
void account(ThreadStreams& of, std::uint32_t countdown, std::uint32_t weight,
             std::uint64_t duration, std::uint64_t written, wire::Thinned kind, bool was_chosen);
// Draws how many events are left out next.
void draw(ThreadStreams& of, std::uint32_t countdown);
// What the record that is written now stands for.
inline std::uint32_t weight_of(const Countdown& countdown) {
  return countdown.left >= 0 ? 1 : static_cast<std::uint32_t>(countdown.drawn - countdown.left);
}
// Writes a ThinningRecord for each kind of which something was left out.
void note_thinning(ThreadStreams& of, std::uint64_t time);

}  // namespace prof::core
