#include "collector/session/targets/capture_switch.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <utility>

namespace prof::session {

namespace {

// Wakes the threads that switch CUPTI (injection/cuda/switching.cpp) at a begin or end.
void signal_edge(wire::ArenaHeader& arena) {
  arena.collection_edges.fetch_add(1, std::memory_order_release);
  syscall(SYS_futex, &arena.collection_edges, FUTEX_WAKE, INT32_MAX, nullptr, nullptr, 0);
}

}  // namespace

CaptureSwitch::CaptureSwitch(const SessionOptions& options, wire::ArenaHeader& arena)
    : options_(options),
      arena_(arena),
      has_ranges_(options.ranges.enabled),
      ranges_count_(options.ranges.count) {
  wire::set_dormant(arena_, options_.time.is_any());
  if (options_.time.is_any()) return;
  captures_left_ = options_.ranges.count;
  arena_.triggers.store(options_.ranges.triggers(), std::memory_order_release);
  arena_.captures_left.store(captures_left_, std::memory_order_release);
}

void CaptureSwitch::begin_tracing(const CaptureRangeOptions& ranges) {
  has_ranges_ = ranges.enabled;
  ranges_count_ = ranges.count;
  captures_left_ = ranges.enabled ? ranges.count : 0;
  if (ranges.at_step) {
    arena_.first_step.store(ranges.at_step->first, std::memory_order_relaxed);
    arena_.last_step.store(ranges.at_step->last(), std::memory_order_relaxed);
  }
  arena_.triggers.store(ranges.enabled ? ranges.triggers() : 0, std::memory_order_release);
  arena_.captures_left.store(captures_left_, std::memory_order_relaxed);
  arena_.capture.store(ranges.enabled ? wire::kWaiting : wire::kCapturing,
                       std::memory_order_relaxed);
  signal_edge(arena_);
}

void CaptureSwitch::wake_processes() { wire::set_dormant(arena_, false); }

void CaptureSwitch::quiet_processes() {
  wire::set_dormant(arena_, true);
  signal_edge(arena_);
}

void CaptureSwitch::end_ranges() {
  arena_.triggers.store(0, std::memory_order_relaxed);
  arena_.captures_left.store(0, std::memory_order_relaxed);
  arena_.capture.store(wire::kWaiting, std::memory_order_release);
}

// Checks the number of ranges, too: a range may have begun and ended since the last call.
bool CaptureSwitch::has_captured() {
  if (!has_ranges_) return arena_.dormant.load(std::memory_order_relaxed) == 0;
  const bool is_capturing = arena_.capture.load(std::memory_order_relaxed) == wire::kCapturing;
  const std::uint32_t left = arena_.captures_left.load(std::memory_order_relaxed);
  const bool is_new = std::exchange(captures_left_, left) != left;
  return std::exchange(was_capturing_, is_capturing) || is_capturing || is_new;
}

std::uint32_t CaptureSwitch::ranges_begun() const {
  return has_ranges_ ? ranges_count_ - arena_.captures_left.load(std::memory_order_relaxed) : 0;
}

bool CaptureSwitch::are_captures_done() const {
  return has_ranges_ && arena_.captures_left.load(std::memory_order_acquire) == 0 &&
         arena_.capture.load(std::memory_order_acquire) == wire::kWaiting;
}

}  // namespace prof::session
