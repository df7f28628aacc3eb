// Reads the operations of GPUs and the calls that launched them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/api_calls.hpp"
#include "exporters/analysis/events/graph_nodes.hpp"
#include "exporters/analysis/insight/intervals.hpp"
#include "exporters/analysis/operators/operator_model.hpp"

namespace prof::operators {

// Needs no ranges, so that another thread can read it while those are read.
struct GpuLaunches {
  // With a window it has the operations that overlap this time, and all calls.
  static base::Result<GpuLaunches> read(const report::ReportReader& reader,
                                        events::RangeOf range_of,
                                        const std::optional<insight::Interval>& window);

  // Returns the node of a CUDA graph that an operation is of; 0: none.
  std::int64_t node_of(std::size_t operation) const {
    return nodes_of_operations.empty() ? 0 : nodes_of_operations[operation];
  }
  std::int64_t chain_of(const events::ApiCall& call) const {  // CUDA_CALLCHAINS.id; 0: none
    return chains.empty() ? 0 : chains[static_cast<std::size_t>(&call - calls.all().data())];
  }

  events::ApiCalls calls;
  events::GraphNodes nodes;              // empty if only the ranges of launches are asked for
  std::vector<GpuOperation> operations;  // by table and row; their calls are not set
  std::vector<std::int64_t> nodes_of_operations;  // empty: `nodes` is empty
  std::vector<std::int64_t> chains;               // by call; empty: there are none
};

}  // namespace prof::operators
