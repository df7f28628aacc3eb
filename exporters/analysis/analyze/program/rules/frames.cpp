// Finds frames of graphics programs that take longer than others, and waits at their ends.
#include <fmt/format.h>

#include <algorithm>

#include "exporters/analysis/analyze/findings/amount_text.hpp"
#include "exporters/analysis/analyze/program/cpu_rules.hpp"
#include "exporters/analysis/events/sums.hpp"
#include "exporters/analysis/insight/graphics/frames.hpp"

namespace prof::analyze {

namespace {

using insight::Frame;

Where where_of(const Frame& frame) { return {{frame.start, frame.end}, frame.global_tid}; }

std::int64_t count_of(const std::vector<Frame>& frames) {
  return static_cast<std::int64_t>(frames.size());
}

}  // namespace

std::optional<Finding> gfx_stutter(CpuFacts& facts) {
  const std::vector<Frame>& frames = facts.frames.frames;
  std::int64_t lost = 0;
  std::int64_t count = 0;
  const Frame* worst = nullptr;
  const auto lost_by = [](const Frame& each) { return each.duration() - each.median; };
  for (const Frame& each : frames) {
    if (!each.stutters) continue;
    lost = events::sum(lost, lost_by(each));
    ++count;
    if (worst == nullptr || lost_by(each) > lost_by(*worst)) worst = &each;
  }
  if (worst == nullptr) return std::nullopt;
  return Finding{"gfx_stutter",
                 "Some frames take much longer than those around them",
                 lost,
                 fmt::format("{} of {}; frame {} takes {}, the median of those around it {}", count,
                             count_text(count_of(frames), "frame"), worst->number,
                             time_text(worst->duration()), time_text(worst->median)),
                 "Look at what these frames do besides: loading, making shaders and buffers, "
                 "waiting for locks; do that before, or spread it over several frames (prof stats "
                 "-r frames lists them)",
                 where_of(*worst)};
}

std::optional<Finding> gfx_present_stall(CpuFacts& facts) {
  constexpr double kMinShare = 0.2;  // of the frames' time
  const std::vector<Frame>& frames = facts.frames.frames;
  if (frames.empty()) return std::nullopt;
  std::int64_t time = 0;
  std::int64_t wait = 0;
  std::int64_t busy = 0;
  for (const Frame& each : frames) {
    time = events::sum(time, each.duration());
    wait = events::sum(wait, each.wait());
    busy = events::sum(busy, each.gpu_in_wait);
  }
  if (static_cast<double>(wait) < kMinShare * static_cast<double>(time)) return std::nullopt;
  const Frame& worst = *std::ranges::max_element(frames, {}, &Frame::wait);
  const std::int64_t count = count_of(frames);
  const double share = wait > 0 ? 100.0 * static_cast<double>(busy) / static_cast<double>(wait) : 0;
  const std::string gpu = facts.frames.has_gpu_times
                              ? fmt::format("; the GPU works in {:.0f} % of that time", share)
                              : "";
  return Finding{
      "gfx_present_stall",
      "The program waits when it shows its frames",
      wait,
      fmt::format("{}: {} of {} on average{}", count_text(count, "frame"), time_text(wait / count),
                  time_text(time / count), gpu),
      "If the GPU works meanwhile, give it less to do for a frame. If it does not, the program "
      "waits for the display: begin the next frame before this one is shown, or change the swap "
      "interval",
      where_of(worst)};
}

}  // namespace prof::analyze
