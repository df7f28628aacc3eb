// --max-overhead: each thread has a budget, a share of its CPU time, and leaves calls and ranges
// out so that what recording costs stays below it.
//
// A *stream* is the calls of one function or the ranges of one text, by one thread. Of each stream
// one event in `every` is recorded on average. The distance to the next one is random, so that a
// program with a period is not sampled in step. A record stands for the events since the one
// before, so counts stay exact, and what a record stands for does not depend on its duration, so
// times have no bias.
//
// Every 10 ms, at a record, the thread chooses `every` for all its streams: a record for each
// `quantum` of time in the stream, by the root mean square of its durations. This is the choice
// with the smallest error for its cost. Events that usually take longer than the quantum are all
// recorded. docs/max-overhead.md has the whole story.
#pragma once

#include <cstdint>

#include "injection/core/record/call.hpp"
#include "injection/core/record/countdowns.hpp"

namespace prof::core {

inline constexpr std::uint32_t kNoStream = 0;

// A text of ranges, as the program gives it.
struct RangeText {
  const char* text;    // null: only the hash is known
  std::uint64_t hash;  // 0: not known yet
};

// Asked when a range is about to begin, on a thread of the C library. True: it is left out, and so
// is its end. Otherwise `stream` is set, for range_begins().
bool leaves_range_out(std::uint32_t domain, RangeText text, std::uint32_t& stream);

// Returns what the record of the range stands for.
std::uint32_t weight_of_range(std::uint32_t stream);
// The recorded range took this long. `written`: when its records were complete.
void range_done(std::uint32_t stream, std::uint32_t weight, std::uint64_t duration,
                std::uint64_t written);

// Pushed ranges, by level of the domain. Ranges of a level of kLevels or more are all recorded.
inline constexpr std::uint32_t kLevels = 64;
struct OpenRange {
  std::uint64_t start;
  std::uint32_t stream, weight;
  std::uint32_t domain, level;
};
// The bits of the levels whose ranges are left out. Null: the thread thins nothing.
std::uint64_t* levels_left_out(std::uint32_t domain);
void range_begins(const OpenRange& range);
// Of the innermost range that began and did not end. False: there is none.
bool take_open_range(std::uint32_t domain, std::uint32_t level, OpenRange& range);

// --- the end

// end_thinning_here() for all threads of the process, which is about to end.
void end_thinning();

}  // namespace prof::core
