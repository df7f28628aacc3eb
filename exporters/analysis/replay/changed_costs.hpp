// Costs of an execution in which something takes another time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/replay/range_times.hpp"
#include "exporters/analysis/replay/replay_model.hpp"
#include "exporters/analysis/replay/what_if.hpp"

namespace prof::replay {

// Multiplies a time in ns, and rounds it. A time that is not above 0 stays.
void multiply(std::int64_t& time, double factor);

// Reads the ranges that the changes are about.
base::Result<RangesByName> read_ranges(const report::ReportReader& reader,
                                       const std::vector<WhatIf>& changes);

// Applies changes to the costs of one report. What compares ranks is not for it.
class CostChanges {
 public:
  // `ranges` has those of the changes. It and `model` must outlive this object.
  CostChanges(const ReplayModel& model, const RangesByName& ranges)
      : model_(model), ranges_(ranges) {}

  // Multiplies costs. Returns how many calls, gaps and operations the change concerns.
  base::Result<std::size_t> apply(const WhatIf& change, Costs& costs) const;

 private:
  std::size_t apply_to_range(const WhatIf& change, Costs& costs) const;
  std::size_t apply_to_kernels(const WhatIf& change, Costs& costs) const;
  std::size_t apply_to_calls(const WhatIf& change, Costs& costs) const;
  std::size_t apply_to_communication(const WhatIf& change, Costs& costs) const;

  const ReplayModel& model_;
  const RangesByName& ranges_;
};

}  // namespace prof::replay
