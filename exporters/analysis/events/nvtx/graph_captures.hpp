// Says in words where the nodes of CUDA graphs were captured: in which NVTX ranges, and at which
// line.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/graph_nodes.hpp"
#include "exporters/analysis/events/nvtx/range_tree.hpp"

namespace prof::events {

class GraphCaptures {
 public:
  static constexpr std::int32_t kNone = -1;

  static base::Result<GraphCaptures> read(const report::ReportReader& reader);

  // True if nothing is known about any node.
  bool empty() const { return nodes_.all().empty(); }
  // Returns the capture of a node of this process: a number for text(), or kNone. Captures with the
  // same text have the same number. `time` is when the graph was launched.
  std::int32_t of(std::int64_t global_pid, std::int64_t node, std::int64_t time);
  // Returns the call chain of the capture: CUDA_CALLCHAINS.id, or 0.
  std::int64_t chain_of(std::int64_t global_pid, std::int64_t node, std::int64_t time) const {
    const std::int32_t origin = nodes_.origin(global_pid, node, time);
    return origin == GraphNodes::kNone ? 0 : nodes_.at(origin).chain;
  }
  // Returns the ranges that are open on a thread: ":capture > :layer 3".
  std::string ranges_at(std::int64_t global_tid, std::int64_t time) const {
    return path_of(tree_.innermost(global_tid, time));
  }
  // Returns ":capture > :layer 3 > :attention, model.py:31 (forward)".
  const std::string& text(std::int32_t number) const {
    return texts_[static_cast<std::size_t>(number)];
  }

 private:
  GraphCaptures(GraphNodes nodes, RangeTree tree)
      : nodes_(std::move(nodes)), tree_(std::move(tree)) {}
  base::Status read_lines(const report::ReportReader& reader);
  std::int32_t number_of(const NodeOrigin& origin);
  std::string path_of(std::int32_t range) const;

  GraphNodes nodes_;
  RangeTree tree_;
  std::unordered_map<std::int64_t, std::string> lines_;                     // by chain
  std::unordered_map<std::int32_t, std::int32_t> of_origin_;                // by origin in nodes_
  std::map<std::pair<std::int32_t, std::int64_t>, std::int32_t> of_place_;  // by range and chain
  std::unordered_map<std::string, std::int32_t> numbers_;
  std::vector<std::string> texts_;
};

}  // namespace prof::events
