// Submits of Vulkan, and the work that they give to GPUs.
#pragma once

#include <cstdint>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"

namespace prof::insight {

// A call of vkQueueSubmit or a function like it, whose work has times. All are in ns.
struct Submit {
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::int64_t global_tid = 0;
  std::int64_t work = 0;  // in which a GPU did what was submitted

  std::int64_t duration() const { return end - start; }
};

// Returns the submits in the order of the report.
base::Result<std::vector<Submit>> read_submits(const report::ReportReader& reader);

}  // namespace prof::insight
