#include "injection/core/record/capture.hpp"

#include "injection/core/clock.hpp"
#include "injection/core/doors.hpp"
#include "injection/core/record/record_writer.hpp"

namespace prof::core {

namespace {

void note(wire::CaptureEvent event) {
  append(wire::CaptureRecord{
      header_of<wire::CaptureRecord>(wire::RecordType::kCapture, static_cast<std::uint32_t>(event)),
      now()});
}

std::atomic<std::uint32_t>& state() { return g_process.arena->capture; }

std::atomic<std::uint32_t> g_shown_frames;

}  // namespace

bool is_paused_or_foreign() { return paused() || is_foreign_thread(); }

bool is_armed(std::uint32_t trigger) {
  return has_feature(wire::kFeatureCaptureRange) &&
         (g_process.arena->triggers.load(std::memory_order_relaxed) & trigger) != 0;
}

void begin_capture(std::uint32_t trigger) {
  if (!is_armed(trigger)) return;
  auto& left = g_process.arena->captures_left;
  std::uint32_t captures = left.load(std::memory_order_relaxed);
  if (captures == 0 || state().load(std::memory_order_relaxed) != wire::kWaiting) return;
  g_doors.flush_capture();
  std::uint32_t expected = wire::kWaiting;
  if (!state().compare_exchange_strong(expected, wire::kCapturing, std::memory_order_acq_rel))
    return;
  left.fetch_sub(1, std::memory_order_relaxed);
  note(wire::CaptureEvent::kBegin);
}

void end_capture() {
  if (!has_feature(wire::kFeatureCaptureRange) || is_armed(wire::kOpenEnded) ||
      g_process.arena->triggers.load(std::memory_order_relaxed) == 0 ||
      state().load(std::memory_order_relaxed) != wire::kCapturing)
    return;
  g_doors.flush_capture();
  note(wire::CaptureEvent::kEnd);
  // Release pairs with the collector's acquire: the collector sees a finished range only with its
  // records.
  state().store(wire::kWaiting, std::memory_order_release);
}

void begin_frames() {
  if (g_process.config.capture.first_frame == 1) begin_capture(wire::kFrameTrigger);
}

void end_frame() {
  const wire::CaptureConfig& config = g_process.config.capture;
  if (config.first_frame == 0) return;
  const std::uint32_t next = g_shown_frames.fetch_add(1, std::memory_order_relaxed) + 2;
  if (next == config.first_frame) begin_capture(wire::kFrameTrigger);
  if (config.frames != 0 && next == config.first_frame + config.frames) end_capture();
}

}  // namespace prof::core
