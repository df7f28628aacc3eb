// Parallel regions of libgomp. The body of a region is replaced: so each thread that runs it says
// when its part begins and ends, without help of libgomp.
#include <type_traits>

#include "injection/openmp/gomp_functions.hpp"
#include "injection/openmp/gomp_thread.hpp"

namespace prof::openmp {

__thread Part* t_part __attribute__((tls_model("initial-exec")));

namespace {

// A loop or sections that begin with the region; kind 0: none.
struct Work {
  wire::OpenMpWork kind;
  std::uint64_t count;
  Word reductions;  // the first word of the region's data, if libgomp reads it
};
constexpr Work kNoWork = {};

// A region, on the stack of the thread that began it, which waits until the others have ended
// their parts.
struct Region {
  Word reductions;  // see Work
  void (*body)(void* data);
  void* data;
  std::uint64_t parallel;
  Work work;
  const void* code;
};

void run_part(void* argument) {
  const Region region = *static_cast<const Region*>(argument);
  Part* const outer = t_part;
  Part part = {region.parallel, next_task(), false};
  const std::uint64_t task = part.task;
  t_part = &part;
  begin(OpenMpEvent::kImplicit, 0, part.parallel, task, 0, nullptr);
  if (region.work.kind != kNoWork.kind)
    begin_work(region.work.kind, region.work.count, region.code);
  region.body(region.data);
  end_single();
  end(OpenMpEvent::kPartDone, 0, task);
  t_part = outer;
}

template <class... Words>
[[gnu::always_inline]] inline Word run_region(const GompTarget& target, const void* code, Work work,
                                              Word body, Word data, Words... more) {
  if (!target.is_recorded) return call(target, body, data, more...);
  Region region = {work.reductions,
                   reinterpret_cast<void (*)(void*)>(body),
                   reinterpret_cast<void*>(data),
                   next_parallel(),
                   work,
                   code};
  begin(OpenMpEvent::kParallel, 0, region.parallel, current_task(), 0, code);
  const Word result =
      call(target, reinterpret_cast<Word>(run_part), reinterpret_cast<Word>(&region), more...);
  end(OpenMpEvent::kParallel, wire::kOpenMpEndsParts, region.parallel);
  return result;
}

// `Number` is long, or unsigned long long.
template <class Number>
Work loop_of(bool up, Number start, Number end, Number step) {
  Work work = {wire::OpenMpWork::kLoop, 0, 0};
  if (step == 0) return work;
  if (up && end > start)
    work.count = (static_cast<Word>(end) - static_cast<Word>(start) + static_cast<Word>(step) - 1) /
                 static_cast<Word>(step);
  else if (!up && end < start)
    work.count = (static_cast<Word>(start) - static_cast<Word>(end) - static_cast<Word>(step) - 1) /
                 -static_cast<Word>(step);
  return work;
}

Work signed_loop(Word start, Word end, Word step) {
  const auto signed_step = static_cast<std::int64_t>(step);
  return loop_of(signed_step > 0, static_cast<std::int64_t>(start), static_cast<std::int64_t>(end),
                 signed_step);
}

// The function that begins a loop within a region.
template <class... Words>
[[gnu::always_inline]] inline Word start_loop(const GompTarget& target, const void* code,
                                              const Work& work, Words... words) {
  if (target.is_recorded) {
    end_single();
    begin_work(work.kind, work.count, code);
  }
  return call(target, words...);
}

// The functions that end a loop or sections.
Word end_and_wait(const GompTarget& target, wire::OpenMpWork kind, const void* code) {
  if (target.is_recorded) end_work(kind);
  return call_and_wait(target, wire::OpenMpSync::kImplicit, code);
}

Word end_without_wait(const GompTarget& target, wire::OpenMpWork kind) {
  if (target.is_recorded) end_work(kind);
  return call(target);
}

}  // namespace

}  // namespace prof::openmp

using namespace prof::openmp;
using prof::wire::OpenMpWork;

EXPORTED GOMP_parallel(Word body, Word data, Word threads, Word flags) {
  return run_region(TARGET(GOMP_parallel), CALLER, kNoWork, body, data, threads, flags);
}
EXPORTED GOMP_parallel_reductions(Word body, Word data, Word threads, Word flags) {
  const Work work = {{}, 0, *reinterpret_cast<const Word*>(data)};
  return run_region(TARGET(GOMP_parallel_reductions), CALLER, work, body, data, threads, flags);
}
EXPORTED GOMP_parallel_sections(Word body, Word data, Word threads, Word count, Word flags) {
  const Work work = {OpenMpWork::kSections, static_cast<std::uint32_t>(count), 0};
  return run_region(TARGET(GOMP_parallel_sections), CALLER, work, body, data, threads, count,
                    flags);
}

#define PARALLEL_LOOP(name)                                                                      \
  EXPORTED name(Word body, Word data, Word threads, Word start, Word end, Word step, Word chunk, \
                Word flags) {                                                                    \
    return run_region(TARGET(name), CALLER, signed_loop(start, end, step), body, data, threads,  \
                      start, end, step, chunk, flags);                                           \
  }
PARALLEL_LOOP(GOMP_parallel_loop_static)
PARALLEL_LOOP(GOMP_parallel_loop_dynamic)
PARALLEL_LOOP(GOMP_parallel_loop_guided)
PARALLEL_LOOP(GOMP_parallel_loop_nonmonotonic_dynamic)
PARALLEL_LOOP(GOMP_parallel_loop_nonmonotonic_guided)
// These have flags in place of the size of chunks, and no further argument.
PARALLEL_LOOP(GOMP_parallel_loop_runtime)
PARALLEL_LOOP(GOMP_parallel_loop_nonmonotonic_runtime)
PARALLEL_LOOP(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

// These have 6 arguments, or fewer: those for the schedule `runtime` have no size of chunks.
#define LOOP(name)                                                                                 \
  EXPORTED name(Word start, Word end, Word step, Word a, Word b, Word c) {                         \
    return start_loop(TARGET(name), CALLER, signed_loop(start, end, step), start, end, step, a, b, \
                      c);                                                                          \
  }
LOOP(GOMP_loop_static_start)
LOOP(GOMP_loop_dynamic_start)
LOOP(GOMP_loop_guided_start)
LOOP(GOMP_loop_nonmonotonic_dynamic_start)
LOOP(GOMP_loop_nonmonotonic_guided_start)
LOOP(GOMP_loop_ordered_static_start)
LOOP(GOMP_loop_ordered_dynamic_start)
LOOP(GOMP_loop_ordered_guided_start)
LOOP(GOMP_loop_runtime_start)
LOOP(GOMP_loop_nonmonotonic_runtime_start)
LOOP(GOMP_loop_maybe_nonmonotonic_runtime_start)
LOOP(GOMP_loop_ordered_runtime_start)

#define ULL_LOOP(name)                                                                       \
  EXPORTED name(Word up, Word start, Word end, Word step, Word a, Word b, Word c) {          \
    return start_loop(TARGET(name), CALLER, loop_of((up & 0xff) != 0, start, end, step), up, \
                      start, end, step, a, b, c);                                            \
  }
ULL_LOOP(GOMP_loop_ull_static_start)
ULL_LOOP(GOMP_loop_ull_dynamic_start)
ULL_LOOP(GOMP_loop_ull_guided_start)
ULL_LOOP(GOMP_loop_ull_nonmonotonic_dynamic_start)
ULL_LOOP(GOMP_loop_ull_nonmonotonic_guided_start)
ULL_LOOP(GOMP_loop_ull_ordered_static_start)
ULL_LOOP(GOMP_loop_ull_ordered_dynamic_start)
ULL_LOOP(GOMP_loop_ull_ordered_guided_start)
ULL_LOOP(GOMP_loop_ull_runtime_start)
ULL_LOOP(GOMP_loop_ull_nonmonotonic_runtime_start)
ULL_LOOP(GOMP_loop_ull_maybe_nonmonotonic_runtime_start)
ULL_LOOP(GOMP_loop_ull_ordered_runtime_start)

// These also take reductions by tasks.
#define LONG_LOOP(name)                                                                         \
  EXPORTED name(Word start, Word end, Word step, Word schedule, Word chunk, Word from, Word to, \
                Word reductions, Word memory) {                                                 \
    return start_loop(TARGET(name), CALLER, signed_loop(start, end, step), start, end, step,    \
                      schedule, chunk, from, to, reductions, memory);                           \
  }
LONG_LOOP(GOMP_loop_start)
LONG_LOOP(GOMP_loop_ordered_start)

#define LONG_ULL_LOOP(name)                                                                     \
  EXPORTED name(Word up, Word start, Word end, Word step, Word schedule, Word chunk, Word from, \
                Word to, Word reductions, Word memory) {                                        \
    return start_loop(TARGET(name), CALLER, loop_of((up & 0xff) != 0, start, end, step), up,    \
                      start, end, step, schedule, chunk, from, to, reductions, memory);         \
  }
LONG_ULL_LOOP(GOMP_loop_ull_start)
LONG_ULL_LOOP(GOMP_loop_ull_ordered_start)

EXPORTED GOMP_loop_end() { return end_and_wait(TARGET(GOMP_loop_end), OpenMpWork::kLoop, CALLER); }
EXPORTED GOMP_loop_end_cancel() {
  return end_and_wait(TARGET(GOMP_loop_end_cancel), OpenMpWork::kLoop, CALLER);
}
EXPORTED GOMP_loop_end_nowait() {
  return end_without_wait(TARGET(GOMP_loop_end_nowait), OpenMpWork::kLoop);
}

EXPORTED GOMP_sections_start(Word count) {
  const Work work = {OpenMpWork::kSections, static_cast<std::uint32_t>(count), 0};
  return start_loop(TARGET(GOMP_sections_start), CALLER, work, count);
}
EXPORTED GOMP_sections2_start(Word count, Word reductions, Word memory) {
  const Work work = {OpenMpWork::kSections, static_cast<std::uint32_t>(count), 0};
  return start_loop(TARGET(GOMP_sections2_start), CALLER, work, count, reductions, memory);
}
EXPORTED GOMP_sections_end() {
  return end_and_wait(TARGET(GOMP_sections_end), OpenMpWork::kSections, CALLER);
}
EXPORTED GOMP_sections_end_cancel() {
  return end_and_wait(TARGET(GOMP_sections_end_cancel), OpenMpWork::kSections, CALLER);
}
EXPORTED GOMP_sections_end_nowait() {
  return end_without_wait(TARGET(GOMP_sections_end_nowait), OpenMpWork::kSections);
}
