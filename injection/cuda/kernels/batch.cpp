#include "injection/cuda/kernels/batch.hpp"

#include <atomic>
#include <cstddef>

#include "injection/core/clock.hpp"
#include "injection/core/lazy_array.hpp"
#include "injection/core/record/record_writer.hpp"
#include "injection/core/syscalls.hpp"
#include "injection/core/thread_state.hpp"
#include "injection/cuda/kernels/ownership.hpp"
#include "injection/cuda/kernels/profile_records.hpp"

namespace prof::cuda::kernels {

namespace {

// After 128 launches CUPTI 13.0 counted no others on an H200, and did not say so.
constexpr std::size_t kMostLaunches = 100;
// This number of launches takes as long as the end of a batch and the start of the next one.
constexpr std::uint32_t kWorthwhile = 40;
constexpr std::uint64_t kOldNs = 1'000'000'000;

struct Batch {
  std::atomic<CUcontext> context{nullptr};  // null: none is open
  std::atomic<std::uint64_t> opened{0};     // ns
  ChipPlan* made = nullptr;
  std::size_t launches = 0;
};
constinit Batch g_batch{};
constinit core::LazyArray<BatchLaunch, kMostLaunches> g_counted;

// Launches since the last one that was selected, and how many there were between the last two. A
// program is expected to go on as before.
std::atomic<std::uint32_t> g_gap;
std::atomic<std::uint32_t> g_last_gap;

Part whole(const ChipPlan& made) {
  Part part{&made.groups[0]};
  part.launches = kMostLaunches;
  return part;
}

void write_launch(BatchLaunch& launch, std::size_t index, Failure failure) {
  ChipPlan& made = *g_batch.made;
  const Part part = whole(made);
  if (!failure) failure = evaluate_launch(g_batch.context, made, part, index);
  if (failure) set_failure(launch.profile, failure);
  core::append(launch.profile);
  if (failure) return;
  write_metrics(made, *part.group);
  set_duration(launch.kernel, duration_of(made, *part.group));
  core::append(launch.kernel);
}

// By no owner, on a thread of prof's.
void close_if_idle() {
  if (!become_owner_of_idle()) return;
  core::ThreadState& t = core::t_state;
  const bool was_in_cupti = t.in_cupti;
  t.in_cupti = true;
  close_batch();
  t.in_cupti = was_in_cupti;
  release_ownership();
}

bool is_any_open() { return g_batch.context.load(std::memory_order_acquire) != nullptr; }

}  // namespace

bool is_batch_open(CUcontext context) {
  return g_batch.context.load(std::memory_order_acquire) == context;
}

void note_choice(bool is_selected) {
  if (!is_selected)
    g_gap.fetch_add(1, std::memory_order_relaxed);
  else
    g_last_gap.store(g_gap.exchange(0, std::memory_order_relaxed), std::memory_order_relaxed);
}

bool is_batch_worthwhile() {
  return g_last_gap.load(std::memory_order_relaxed) <= kWorthwhile &&
         g_gap.load(std::memory_order_relaxed) <= kWorthwhile;
}

Failure open_batch(CUcontext context, ChipPlan& made) {
  if (is_batch_open(context)) return {};
  close_batch();
  if (g_counted.get() == nullptr)
    return {KernelProfileReason::kNone, RangeFunction::k_cuptiRangeProfilerStart,
            CUPTI_ERROR_OUT_OF_MEMORY};
  if (Failure failure = start_counting(context, made, whole(made))) return failure;
  g_batch.made = &made;
  g_batch.launches = 0;
  g_batch.opened.store(core::monotonic_raw(), std::memory_order_relaxed);
  g_batch.context.store(context, std::memory_order_release);
  return {};
}

void add_launch(const BatchLaunch& launch) {
  g_counted.get()[g_batch.launches++] = launch;
  if (g_batch.launches == kMostLaunches) close_batch();
}

void close_batch(bool has_failed) {
  if (!is_any_open()) return;
  std::size_t counted = 0;
  Failure failure = stop_counting(g_batch.context, whole(*g_batch.made), counted);
  const bool is_known =
      counted == g_batch.launches || (has_failed && counted == g_batch.launches + 1);
  if (!failure && !is_known) failure = {KernelProfileReason::kOtherLaunches};
  BatchLaunch* const launches = g_counted.get();
  for (std::size_t i = 0; i < g_batch.launches; ++i)
    if (launches[i].is_selected) write_launch(launches[i], i, failure);
  g_batch.context.store(nullptr, std::memory_order_release);
}

void close_old_batch() {
  if (!is_any_open()) return;
  const std::uint64_t opened = g_batch.opened.load(std::memory_order_relaxed);
  if (core::monotonic_raw() - opened >= kOldNs) close_if_idle();
}

void close_last_batch() {
  constexpr int kTries = 100;  // for a second: a launch that takes longer may never end
  constexpr long kPauseNs = 10'000'000;
  for (int i = 0; i < kTries && is_any_open(); ++i) {
    if (i != 0) core::sys::sleep_ns(kPauseNs);
    close_if_idle();
  }
}

}  // namespace prof::cuda::kernels
