// Finds GPU operations and the NVTX ranges around the calls that launched them.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/kernels.hpp"
#include "exporters/analysis/events/nvtx/range_tree.hpp"

namespace prof::stats {

struct LaunchedOperation {
  std::int64_t call_start;
  std::int64_t call_end;
  std::int64_t global_tid;  // of the call
  std::int64_t start;       // of the operation on the GPU
  std::int64_t end;
  events::KernelKey kernel;  // set for kernels only
};

// Returns the kernels whose launching call was recorded.
base::Result<std::vector<LaunchedOperation>> launched_kernels(const report::ReportReader& reader,
                                                              const events::KernelNames& names);
// Returns the kernels, copies and fills whose launching call was recorded.
base::Result<std::vector<LaunchedOperation>> launched_operations(const report::ReportReader& reader,
                                                                 const events::KernelNames& names);

// Calls `visit(operation, range)` for each range around the operation's launching call, on the
// thread of the call. If there is no such range, calls it once with RangeTree::kNone. Sorts the
// operations.
void for_each_range_of_launches(
    const events::RangeTree& tree, std::vector<LaunchedOperation>& operations,
    const std::function<void(const LaunchedOperation&, std::int32_t range)>& visit);

}  // namespace prof::stats
