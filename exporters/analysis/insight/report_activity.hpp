// Holds a report's GPU operations, the API calls that launched them, the NVTX ranges and the idle
// times.
#pragma once

#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/nvtx/range_tree.hpp"
#include "exporters/analysis/insight/api_timeline.hpp"
#include "exporters/analysis/insight/gpu_work.hpp"
#include "exporters/analysis/insight/idle_times.hpp"

namespace prof::insight {

struct ReportActivity {
  GpuWork work;
  ApiTimeline calls;
  events::RangeTree ranges;
  std::vector<IdleTime> idle;

  static base::Result<ReportActivity> read(const report::ReportReader& reader);
  // `work` is what GpuWork::read() returns for the reader.
  static base::Result<ReportActivity> read(const report::ReportReader& reader, GpuWork work);
};

}  // namespace prof::insight
