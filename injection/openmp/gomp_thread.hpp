// What a thread of a program with libgomp does now. libgomp tells its threads apart only within
// itself, so the wrappers keep it.
#pragma once

#include <cstdint>

#include "injection/openmp/events.hpp"
#include "injection/openmp/gomp_functions.hpp"

namespace prof::openmp {

// A thread's part of a region, on the thread's stack.
struct Part {
  std::uint64_t parallel;
  std::uint64_t task;  // that it does now: the implicit one of the region, or an explicit one
  bool is_single;      // in a single construct, which has no end of its own
};

// The innermost part; null outside of regions.
extern __thread Part* t_part __attribute__((tls_model("initial-exec")));

inline std::uint64_t current_parallel() { return t_part == nullptr ? 0 : t_part->parallel; }
inline std::uint64_t current_task() { return t_part == nullptr ? 0 : t_part->task; }

template <class Kind>
constexpr std::uint32_t word_of(Kind kind) {
  return static_cast<std::uint32_t>(kind);
}

inline void begin_work(wire::OpenMpWork kind, std::uint64_t count, const void* code) {
  begin(OpenMpEvent::kWork, word_of(kind), current_parallel(), current_task(), count, code);
}
inline void end_work(wire::OpenMpWork kind) { end(OpenMpEvent::kWork, word_of(kind), 0); }

// Calls a function that waits for other threads.
template <class... Words>
Word call_and_wait(const GompTarget& target, wire::OpenMpSync kind, const void* code,
                   Words... words) {
  if (!target.is_recorded) return call(target, words...);
  begin(OpenMpEvent::kSync, word_of(kind), current_parallel(), current_task(), 0, code);
  const Word result = call(target, words...);
  end(OpenMpEvent::kSync, word_of(kind), 0);
  return result;
}

// Ends the single construct that the thread is in. Its end is taken to be the thread's next
// barrier, construct that shares work, or end of its part.
inline void end_single() {
  if (t_part == nullptr || !t_part->is_single) return;
  t_part->is_single = false;
  end_work(wire::OpenMpWork::kSingleExecutor);
}

}  // namespace prof::openmp
