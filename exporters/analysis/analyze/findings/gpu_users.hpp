// Names the processes whose contexts a GPU works for, by table GPU_CONTEXT_SWITCH_EVENTS.
#pragma once

#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/analyze/findings/gpu_load.hpp"

namespace prof::analyze {

// Sets GpuLoad::foreign_user. Does nothing if the report has no switches.
base::Status name_foreign_users(const report::ReportReader& reader, std::vector<GpuLoad>& loads);

}  // namespace prof::analyze
