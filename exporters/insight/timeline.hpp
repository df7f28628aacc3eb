// A report's GPU operations, the API calls that launched them, the NVTX ranges and the idle times.
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
  std::vector<IdleTime> idle;  // points into `calls`

  static base::Result<Timeline> read(const report::ReportReader& reader);
};

}  // namespace prof::insight
