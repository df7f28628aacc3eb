// The frames of graphics programs: each ends with a call that shows it (eglSwapBuffers,
// glXSwapBuffers, vkQueuePresentKHR).
#pragma once

#include <cstdint>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"

namespace prof::insight {

// Times are in ns.
struct Frame {
  std::int64_t start = 0;        // end of the frame before, or start of the thread's first call
  std::int64_t end = 0;          // of the call that shows it
  std::int64_t present = 0;      // start of that call
  std::int64_t global_tid = 0;   // of the thread that makes the call
  std::int64_t name = 0;         // StringIds.id of the call
  std::int64_t number = 0;       // in its thread, from 1
  std::int64_t gpu = 0;          // in which the GPU worked for the process
  std::int64_t gpu_in_wait = 0;  // the part of `gpu` that is in the call that shows the frame
  std::int64_t pipelines = 0;    // in which its thread creates pipelines and shaders of Vulkan
  std::int64_t median = 0;       // of the 19 frames around it
  bool stutters = false;

  std::int64_t duration() const { return end - start; }
  std::int64_t wait() const { return end - present; }
};

struct Frames {
  std::vector<Frame> frames;   // by thread, in the order of time
  bool has_gpu_times = false;  // of any process
};

base::Result<Frames> read_frames(const report::ReportReader& reader);

// Sets `median`, and `stutters` as nsys does: the frame takes more than 20 % and more than 4 ms
// longer than the median. The frames are those of one thread.
void find_stutters(std::vector<Frame>::iterator begin, std::vector<Frame>::iterator end);

}  // namespace prof::insight
