// Finds GPU operations and the NVTX ranges that they belong to: those around the calls that
// launched them, and those in which the nodes of CUDA graphs were captured.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/graph_nodes.hpp"
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
  // Where its node of a graph was captured: an index in GraphNodes, or kNone.
  std::int32_t origin = events::GraphNodes::kNone;
  bool in_graph = false;
};

struct LaunchedOperations {
  std::vector<LaunchedOperation> all;
  events::GraphNodes nodes;  // empty if only the ranges of launches are asked for
  events::RangeOf range_of;
};

// Returns the kernels whose launching call was recorded.
base::Result<LaunchedOperations> launched_kernels(const report::ReportReader& reader,
                                                  const events::KernelNames& names,
                                                  events::RangeOf range_of);
// Returns the kernels, copies and fills whose launching call was recorded.
base::Result<LaunchedOperations> launched_operations(const report::ReportReader& reader,
                                                     const events::KernelNames& names,
                                                     events::RangeOf range_of);

// Returns which ranges to read.
inline events::RangeTree::Ranges ranges_for(events::RangeOf range_of) {
  return range_of == events::RangeOf::kLaunch ? events::RangeTree::Ranges::kRecorded
                                              : events::RangeTree::Ranges::kOfGraphs;
}

// A range that an operation belongs to.
struct RangeOfOperation {
  std::int32_t index;  // in the tree, or RangeTree::kNone
  // The operation's node was captured in the range. Each launch of the graph repeats such a range.
  bool at_capture;
};

// Calls `visit(operation, range)` for each range of the operation: first those around its launching
// call, on the thread of the call, then those in which its node was captured. Of the latter, the
// outermost ones are left out as long as they have the names of the ranges around the launch. If
// there is no range, calls it once with RangeTree::kNone. Sorts the operations by call.
void for_each_range_of_launches(
    const events::RangeTree& tree, LaunchedOperations& operations,
    const std::function<void(const LaunchedOperation&, RangeOfOperation)>& visit);

}  // namespace prof::stats
