// What the GPUs did, who called for it, where in the program, and why they were idle in between.
#pragma once

#include <vector>

#include "collector/base/result.hpp"
#include "collector/report/report_reader.hpp"
#include "exporters/events/range_tree.hpp"
#include "exporters/insight/api_timeline.hpp"
#include "exporters/insight/gpu_work.hpp"
#include "exporters/insight/idle_times.hpp"

namespace prof::insight {

struct Timeline {
  GpuWork work;
  ApiTimeline calls;
  events::RangeTree ranges;
  std::vector<IdleTime> idle;  // their calls are those of `calls`

  static base::Result<Timeline> read(const report::ReportReader& reader);
};

}  // namespace prof::insight
