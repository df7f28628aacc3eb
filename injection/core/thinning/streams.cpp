// The streams of each thread, and the records at the end of a thread or of the process.
#include "injection/core/thinning/streams.hpp"

#include <sys/mman.h>

#include "injection/core/clock.hpp"
#include "injection/core/lazy_array.hpp"
#include "injection/core/record/record_writer.hpp"
#include "injection/core/record/short_calls.hpp"
#include "injection/core/syscalls.hpp"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

namespace prof::core {

namespace {

// The maximum number of threads that thin. Further threads record everything.
constexpr std::uint32_t kMaxThreads = 1024;
constinit LazyArray<ThreadStreams, kMaxThreads> g_threads;
std::atomic<std::uint32_t> g_used;  // number used in this process and its parents: the first ones

// The initial value in clock units. Measurements soon replace it.
constexpr double kFirstRecordCost = 200;

ThreadStreams* all_threads() {
  ThreadStreams* threads = g_threads.get_if_used();
  if (threads != nullptr || !g_process.wipe_on_fork) return threads;
  threads = g_threads.get();
  if (threads != nullptr)
    sys::madvise(threads, sizeof(ThreadStreams) * kMaxThreads, MADV_WIPEONFORK);
  return threads;
}

void begin(ThreadStreams& of, const ThreadState& t) {
  const std::uint64_t time = now();
  of.tid = t.tid;
  of.random = time * 0x9e3779b97f4a7c15 ^ t.tid;
  if (of.random == 0) of.random = 1;
  of.decided = of.noted = time;
  if (!g_process.sandboxed.load(std::memory_order_relaxed)) of.decided_cpu = sys::thread_cpu_time();
  of.record_cost = kFirstRecordCost;
  of.until_measured = 1;
  of.most_recorded = 1024;
  of.names_used = 1;
}

void forget(ThreadStreams& of) {
  const std::uint32_t serial = of.serial.load(std::memory_order_relaxed);
  __builtin_memset(static_cast<void*>(&of), 0, sizeof of);
  of.serial.store(serial, std::memory_order_relaxed);
}

void record_rest(ThreadStreams& of, std::uint32_t countdown) {
  Countdown& at = of.countdowns[countdown];
  const int rest = at.drawn - (at.left > 0 ? at.left : 0);
  at.left = at.drawn = 0;
  if (rest <= 0) return;
  const bool is_range = countdown >= kThinnedFunctions;
  const auto kind = is_range ? wire::Thinned::kRanges : wire::Thinned::kCalls;
  const RangeName& name = of.names[is_range ? countdown - kThinnedFunctions : 0];
  of.events[static_cast<std::size_t>(kind)] += static_cast<std::uint64_t>(rest);
  append(wire::UnrecordedRecord{header_of<wire::UnrecordedRecord>(wire::RecordType::kUnrecorded,
                                                                  static_cast<std::uint32_t>(rest),
                                                                  static_cast<std::uint8_t>(kind)),
                                is_range ? name.hash : countdown, of.tid,
                                is_range ? name.domain : 0});
}

void record_rests(ThreadStreams& of) {
  for (std::uint32_t i = 1; i <= of.streams_used; ++i) record_rest(of, of.streams[i].countdown);
}

}  // namespace

ThreadStreams* streams_here() {
  auto* of = reinterpret_cast<ThreadStreams*>(t_state.countdowns);
  const bool is_mine = of != nullptr && live_word() >= wire::kFirstSerial &&
                       of->serial.load(std::memory_order_relaxed) == live_word();
  return is_mine ? of : nullptr;
}

ThreadStreams* streams_for_thread() {
  if (ThreadStreams* mine = streams_here()) return mine;
  ThreadState& t = t_state;
  const std::uint32_t serial = live_word();
  // The thread must be known, because its number is needed.
  if (serial < wire::kFirstSerial || t.serial != serial || t.gone) return nullptr;
  ThreadStreams* threads = all_threads();
  if (threads == nullptr) return nullptr;
  for (std::uint32_t i = 0; i < kMaxThreads; ++i) {
    std::uint32_t free = 0;
    if (!threads[i].serial.compare_exchange_strong(free, serial, std::memory_order_acq_rel)) {
      // The streams may belong to the parent of a fork, if the kernel did not wipe them in time.
      if (free == serial ||
          !threads[i].serial.compare_exchange_strong(free, serial, std::memory_order_acq_rel))
        continue;
    }
    if (threads[i].tid != 0) forget(threads[i]);
    begin(threads[i], t);
    std::uint32_t used = g_used.load(std::memory_order_relaxed);
    while (used <= i && !g_used.compare_exchange_weak(used, i + 1, std::memory_order_relaxed)) {
    }
    t.countdowns = threads[i].countdowns;
    return &threads[i];
  }
  return nullptr;
}

void record_thinned_call(const Call& call, std::uint64_t end, Function function,
                         std::int64_t result) {
  ThreadState& t = t_state;
  const std::uint64_t duration = end - call.start;
  ThreadStreams* of = function.id < kThinnedFunctions ? streams_here() : nullptr;
  const bool was_chosen = of != nullptr && of->countdowns[function.id].left < 0;
  const std::uint32_t weight = of != nullptr ? weight_of(of->countdowns[function.id]) : 1;
  // Calls of libraries have no threshold.
  if (duration < g_process.config.osrt_threshold && function.id < wire::kLibraryFunctions)
    count_short_calls(function, call.start, end, weight);
  else if (!paused())
    record_weighted_call(call, end, function, result, weight);
  if (function.id >= kThinnedFunctions) return;
  if (of == nullptr) {
    // The countdown is inherited by a fork child that has not joined yet.
    if (t.countdowns != nullptr) t.countdowns[function.id].left = 0;
    streams_for_thread();
    return;
  }
  account(*of, function.id, weight, duration, end, wire::Thinned::kCalls, was_chosen);
  if (was_chosen) draw(*of, function.id);
}

void end_thinning_here() {
  ThreadStreams* of = streams_here();
  t_state.countdowns = nullptr;
  if (of == nullptr) return;
  record_rests(*of);
  note_thinning(*of, now());
  forget(*of);
  of->serial.store(0, std::memory_order_release);
}

void end_thinning() {
  if (!thins()) return;
  ThreadStreams* threads = g_threads.get_if_used();
  const std::uint32_t serial = live_word();
  if (threads == nullptr || serial < wire::kFirstSerial) return;
  const std::uint32_t used = g_used.load(std::memory_order_relaxed);
  for (std::uint32_t i = 0; i < used; ++i)
    if (threads[i].serial.load(std::memory_order_acquire) == serial) {
      record_rests(threads[i]);
      note_thinning(threads[i], now());
    }
}

}  // namespace prof::core
