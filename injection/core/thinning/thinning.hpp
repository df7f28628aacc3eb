// --max-overhead: each thread has a budget, a share of its CPU time, and leaves calls and ranges
// out so that the cost of recording stays below the budget.
//
// A *stream* is the calls of one function or the ranges of one text, by one thread. Of each stream
// one event in `every` is recorded on average. The distance to the next one is random, so that a
// periodic program is not sampled in step. A record stands for the events since the previous
// record, so counts stay exact. This number does not depend on the duration of the recorded event,
// so times have no bias.
//
// Every 10 ms, at a record, the thread chooses `every` for all its streams: a record for each
// `quantum` of time in the stream, by the root mean square of its durations. This is the choice
// with the smallest error for its cost. Events that usually take longer than the quantum are all
// recorded. docs/max-overhead.md has the details.
#pragma once

#include <cstdint>

#include "injection/core/record/call.hpp"
#include "injection/core/record/countdowns.hpp"

namespace prof::core {

inline constexpr std::uint32_t kNoStream = 0;

// The text of a range, as the program passes it.
struct RangeText {
  const char* text;    // null: only the hash is known
  std::uint64_t hash;  // 0: not known yet
};

// Called when a range is about to begin, on a thread of the C library. Returns true if the range is
// left out; then its end is left out, too. Otherwise sets `stream`, for range_begins().
bool leaves_range_out(std::uint32_t domain, RangeText text, std::uint32_t& stream);

// Returns the number of ranges that the record stands for.
std::uint32_t weight_of_range(std::uint32_t stream);
// Reports how long the recorded range took. `written` is when its records were complete.
void range_done(std::uint32_t stream, std::uint32_t weight, std::uint64_t duration,
                std::uint64_t written);

// The number of levels of pushed ranges in a domain that are thinned. Ranges of higher levels are
// all recorded.
inline constexpr std::uint32_t kLevels = 64;
struct OpenRange {
  std::uint64_t start;
  std::uint32_t stream, weight;
  std::uint32_t domain, level;
};
// Returns a mask of the levels whose ranges are left out. Null: the thread thins nothing.
std::uint64_t* levels_left_out(std::uint32_t domain);
void range_begins(const OpenRange& range);
// Takes the innermost range that has begun and not ended. Returns false if there is none.
bool take_open_range(std::uint32_t domain, std::uint32_t level, OpenRange& range);

// --- The end.

// Calls end_thinning_here() for all threads of the process, which is about to end.
void end_thinning();

}  // namespace prof::core
