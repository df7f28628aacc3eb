// The data of a thread about its streams (thinning.hpp). It is private memory, all zero at first
// and again in a fork child.
#pragma once

#include <atomic>
#include <cstdint>

#include "common/wire/thinning_records.hpp"
#include "injection/core/record/countdowns.hpp"
#include "injection/core/thinning/thinning.hpp"

namespace prof::core {

inline constexpr std::uint32_t kThinnedFunctions = 512;  // the functions of osrt
static_assert(kThinnedFunctions == wire::kProcessFunctions);
inline constexpr std::uint32_t kRangeTexts = 64;
inline constexpr std::uint32_t kCountdowns = kThinnedFunctions + kRangeTexts;
inline constexpr std::uint32_t kMaxStreams = 128;
inline constexpr std::uint32_t kThinnedKinds = 2;  // wire::Thinned

struct Stream {
  double mean_square;  // of durations; clock units squared
  double squares;      // sum of the squares of durations since the last decision
  double rate;         // events in a clock unit of CPU time
  float every;
  std::uint32_t events, recorded;  // since the last decision
  std::uint32_t countdown;         // index of its countdown
  bool is_always_recorded;         // it has no countdown
};

// The text of ranges. A text that begins at another address has another entry with the same hash.
struct RangeName {
  std::uint64_t words[2], masks[2];  // the first bytes with the final zero; masks of valid ones
  std::uint64_t hash;
  std::uint32_t domain;
  bool is_whole;  // the words contain the whole text
};

struct ThreadStreams {
  Countdown countdowns[kCountdowns];  // first member: ThreadState::countdowns points here
  std::atomic<std::uint32_t> serial;  // of the process; 0: free
  std::uint32_t tid;
  std::uint64_t random;
  // --- The budget, in clock units.
  std::uint64_t decided;         // time of the last decision
  std::uint64_t decided_cpu;     // CPU time of the thread at that decision, ns
  double credit;                 // what was saved, or overdrawn if negative
  double record_cost;            // cost of a recorded event, with the reading of the clock
  std::uint32_t recorded;        // since the last decision
  std::uint32_t most_recorded;   // limit until the next decision
  std::uint32_t until_measured;  // records until the next one whose cost is measured
  // --- For the report: sums since `noted`.
  std::uint64_t noted;
  std::uint64_t events[kThinnedKinds], kept[kThinnedKinds];
  double cost;
  // --- streams
  std::uint32_t streams_used;
  std::uint8_t stream_of[kCountdowns];  // 0: no stream
  Stream streams[kMaxStreams];          // the first one is not used
  // --- ranges
  std::uint32_t names_used;
  std::uint8_t recent[64];       // by address of the text: number of its name
  RangeName names[kRangeTexts];  // the first one stands for all that did not fit
  std::uint64_t left_out[kTrackedDomains];
  std::uint32_t open_used;
  OpenRange open[kLevels];
};

// Returns the streams of the calling thread in this process. Null: the thread has none, or has lost
// them in a fork.
ThreadStreams* streams_here();
// Returns the streams of the calling thread. Creates them if the thread has none, if possible.
ThreadStreams* streams_for_thread();

// Counts a recorded event. Makes the next decision if it is due.
void account(ThreadStreams& of, std::uint32_t countdown, std::uint32_t weight,
             std::uint64_t duration, std::uint64_t written, wire::Thinned kind, bool was_chosen);
// Draws how many events to leave out next.
void draw(ThreadStreams& of, std::uint32_t countdown);
// Returns how many events the record stands for that is written now.
inline std::uint32_t weight_of(const Countdown& countdown) {
  return countdown.left >= 0 ? 1 : static_cast<std::uint32_t>(countdown.drawn - countdown.left);
}
// Writes a ThinningRecord for each kind that has left something out.
void note_thinning(ThreadStreams& of, std::uint64_t time);

}  // namespace prof::core
