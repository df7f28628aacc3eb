// Costs of an execution in which something takes another time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/replay/execution_replay.hpp"
#include "exporters/analysis/replay/what_if.hpp"

namespace prof::replay {

// Multiplies a time in ns, and rounds it.
void multiply(std::int64_t& time, double factor);

// Applies changes to the costs of one report. What compares ranks is not for it.
class CostChanges {
 public:
  CostChanges(const report::ReportReader& reader, const ReplayModel& model)
      : reader_(reader), model_(model) {}

  // Multiplies costs. Returns how many calls, gaps and operations the change concerns.
  base::Result<std::size_t> apply(const WhatIf& change, Costs& costs) const;

 private:
  base::Result<std::size_t> apply_to_range(const WhatIf& change, Costs& costs) const;
  std::size_t apply_to_kernels(const WhatIf& change, Costs& costs) const;
  std::size_t apply_to_calls(const WhatIf& change, Costs& costs) const;
  std::size_t apply_to_communication(const WhatIf& change, Costs& costs) const;

  const report::ReportReader& reader_;
  const ReplayModel& model_;
};

}  // namespace prof::replay
