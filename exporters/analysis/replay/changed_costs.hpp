// Costs of an execution in which something takes another time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/replay/change_times.hpp"
#include "exporters/analysis/replay/replay_model.hpp"
#include "exporters/analysis/replay/what_if.hpp"

namespace prof::replay {

// Multiplies a time in ns, and rounds it. A time that is not above 0 stays.
void multiply(std::int64_t& time, double factor);

// Applies changes to the costs of one report. What compares ranks is not for it.
class CostChanges {
 public:
  // `times` has those of the changes. It and `model` must outlive this object.
  CostChanges(const ReplayModel& model, const ChangeTimes& times) : model_(model), times_(times) {}

  // Multiplies costs. Returns how many calls, gaps and operations the change concerns.
  base::Result<std::size_t> apply(const WhatIf& change, Costs& costs) const;

 private:
  std::size_t apply_to_range(const WhatIf& change, Costs& costs) const;
  std::size_t apply_to_function(const WhatIf& change, Costs& costs) const;
  std::size_t apply_to_kernels(const WhatIf& change, Costs& costs) const;
  std::size_t apply_to_calls(const WhatIf& change, Costs& costs) const;
  std::size_t apply_to_work(const WhatIf& change, Costs& costs) const;
  std::size_t apply_to_idle(const WhatIf& change, Costs& costs) const;
  std::size_t apply_to_waits(const IdlePieces& idle, Costs& costs) const;

  const ReplayModel& model_;
  const ChangeTimes& times_;
};

}  // namespace prof::replay
