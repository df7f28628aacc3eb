// Finds where the nodes of CUDA graphs were made. A kernel of a graph is launched with its graph,
// and its node is a clone of the node that a stream capture or the program made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"

namespace prof::events {

inline constexpr const char* kGraphNodeTable = "CUDA_GRAPH_NODE_EVENTS";

// Which ranges a kernel, copy or fill of a CUDA graph is in. An operation outside of graphs is in
// those around its launching call.
enum class RangeOf {
  kLaunch,   // those around the launch of the graph, as in nsys
  kCapture,  // those that were open when the node was captured or added
  kBoth,
};

// The words of --range-of and of prof_report.
inline constexpr std::pair<std::string_view, RangeOf> kWordsOfRangeOf[] = {
    {"launch", RangeOf::kLaunch}, {"capture", RangeOf::kCapture}, {"both", RangeOf::kBoth}};

// The moment at which a node was captured, or added to a graph.
struct NodeOrigin {
  std::int64_t global_tid;
  std::int64_t time;
  std::int64_t chain;  // CUDA_CALLCHAINS.id; 0: none
};

class GraphNodes {
 public:
  static constexpr std::int32_t kNone = -1;

  // Reads the origins of all nodes. The result is empty if the report has no events of nodes.
  static base::Result<GraphNodes> read(const report::ReportReader& reader);

  // Returns the origin of a node of this process: an index for at(), or kNone. A node that is
  // updated has a new origin from then on; `time` is when its graph was launched.
  std::int32_t origin(std::int64_t global_pid, std::int64_t node, std::int64_t time) const;
  const NodeOrigin& at(std::int32_t origin) const {
    return origins_[static_cast<std::size_t>(origin)];
  }
  const std::vector<NodeOrigin>& all() const { return origins_; }

 private:
  // A node is made or cloned, or takes the parameters of another node.
  struct Event {
    std::int64_t process;
    std::int64_t node;
    std::int64_t time;
    std::int64_t original;  // 0: the event makes the node
    std::int32_t origin;    // the node's from now on
  };

  const Event* last(std::int64_t process, std::int64_t node, std::int64_t time) const;
  void follow_originals();

  std::vector<Event> events_;  // by process, node and time
  std::vector<NodeOrigin> origins_;
};

}  // namespace prof::events
