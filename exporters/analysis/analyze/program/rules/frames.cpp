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

// What a frame that stutters takes more than those around it.
std::int64_t lost_by(const Frame& frame) {
  return frame.stutters ? frame.duration() - frame.median : 0;
}

// The part of it that creating pipelines can explain.
std::int64_t lost_by_pipelines(const Frame& frame) {
  return std::min(lost_by(frame), frame.pipelines);
}

struct FrameLoss {
  std::int64_t time = 0;  // ns
  std::int64_t count = 0;
  const Frame* worst = nullptr;  // null: no frame loses time
};

FrameLoss sum_of(const std::vector<Frame>& frames, std::int64_t (*loss)(const Frame& frame)) {
  FrameLoss sum;
  for (const Frame& each : frames) {
    const std::int64_t lost = loss(each);
    if (lost <= 0) continue;
    sum.time = events::sum(sum.time, lost);
    ++sum.count;
    if (sum.worst == nullptr || lost > loss(*sum.worst)) sum.worst = &each;
  }
  return sum;
}

}  // namespace

std::optional<Finding> gfx_pipeline_hitch(CpuFacts& facts) {
  const std::vector<Frame>& frames = facts.frames.frames;
  const FrameLoss lost = sum_of(frames, lost_by_pipelines);
  if (lost.worst == nullptr) return std::nullopt;
  return Finding{
      "gfx_pipeline_hitch",
      "Frames take longer because pipelines are created in them",
      lost.time,
      fmt::format("{} of {}; frame {} takes {}, of which {} creates pipelines and shaders; the "
                  "median of the frames around it is {}",
                  lost.count, count_text(count_of(frames), "frame"), lost.worst->number,
                  time_text(lost.worst->duration()), time_text(lost.worst->pipelines),
                  time_text(lost.worst->median)),
      "Create pipelines before they are needed, or on another thread, with a VkPipelineCache that "
      "is kept between runs",
      where_of(*lost.worst)};
}

std::optional<Finding> gfx_stutter(CpuFacts& facts) {
  const std::vector<Frame>& frames = facts.frames.frames;
  const FrameLoss lost = sum_of(frames, lost_by);
  if (lost.worst == nullptr) return std::nullopt;
  return Finding{"gfx_stutter",
                 "Some frames take much longer than those around them",
                 lost.time,
                 fmt::format("{} of {}; frame {} takes {}, the median of those around it {}",
                             lost.count, count_text(count_of(frames), "frame"), lost.worst->number,
                             time_text(lost.worst->duration()), time_text(lost.worst->median)),
                 "Look at what these frames do besides: loading, making shaders and buffers, "
                 "waiting for locks; do that before, or spread it over several frames (prof stats "
                 "-r frames lists them)",
                 where_of(*lost.worst)};
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

std::optional<Finding> gfx_submit_bound(CpuFacts& facts) {
  constexpr double kMinShare = 0.1;  // of the program's time
  std::int64_t time = 0;
  std::int64_t work = 0;
  std::int64_t count = 0;
  const insight::Submit* longest = nullptr;
  for (const insight::Submit& each : facts.submits) {
    if (each.duration() <= each.work) continue;
    time = events::sum(time, each.duration());
    work = events::sum(work, each.work);
    ++count;
    if (longest == nullptr || each.duration() > longest->duration()) longest = &each;
  }
  if (longest == nullptr || static_cast<double>(time) < kMinShare * facts.time) return std::nullopt;
  return Finding{"gfx_submit_bound",
                 "Submits of Vulkan take longer than what the GPU does for them",
                 time,
                 fmt::format("{} of {} take {}, their work {}", count,
                             count_text(static_cast<std::int64_t>(facts.submits.size()), "submit"),
                             time_text(time), time_text(work)),
                 "Submit less often: give several command buffers to one vkQueueSubmit, and more "
                 "work to each",
                 Where{{longest->start, longest->end}, longest->global_tid}};
}

}  // namespace prof::analyze
