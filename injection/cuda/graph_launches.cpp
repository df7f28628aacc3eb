// Launches of graphs, made from the records of their nodes. While another user of CUPTI wants the
// nodes, CUPTI makes no records of whole launches. The nodes of a launch have its correlation id,
// and their records can lie in several buffers.
#include "injection/cuda/clients/host.hpp"
#include "injection/cuda/clients/lock.hpp"
#include "injection/cuda/state.hpp"

namespace prof::cuda {

namespace {

struct Launch {
  CUpti_ActivityGraphTrace record;  // kind INVALID: the entry is free
  std::uint64_t buffer;             // the last buffer that had a node of the launch
};
constexpr std::uint32_t kMaxLaunches = 64;
constinit Launch g_launches[kMaxLaunches]{};
constinit std::uint64_t g_buffer = 1;
constinit clients::Lock g_lock{};
constinit std::atomic<bool> g_makes_launches{false};

bool is_free(const Launch& launch) { return launch.record.kind == CUPTI_ACTIVITY_KIND_INVALID; }

void finish(Launch& launch) {
  if (is_free(launch)) return;
  write_activity(reinterpret_cast<const CUpti_Activity*>(&launch.record));
  launch.record.kind = CUPTI_ACTIVITY_KIND_INVALID;
}

// Returns the launch of a node. A new launch takes a free entry, or the entry of the oldest one.
template <class Node>
Launch& launch_of(const Node& node) {
  Launch* place = &g_launches[0];
  for (Launch& launch : g_launches) {
    if (!is_free(launch) && launch.record.correlationId == node.correlationId &&
        launch.record.graphId == node.graphId)
      return launch;
    if (is_free(launch) || (!is_free(*place) && launch.buffer < place->buffer)) place = &launch;
  }
  finish(*place);
  CUpti_ActivityGraphTrace& record = place->record;
  record = {};
  record.kind = CUPTI_ACTIVITY_KIND_GRAPH_TRACE;
  record.correlationId = node.correlationId;
  record.graphId = node.graphId;
  record.deviceId = node.deviceId;
  record.contextId = node.contextId;
  record.streamId = node.streamId;
  record.start = node.start;
  record.end = node.end;
  return *place;
}

template <class Node>
bool add(const CUpti_Activity* activity) {
  const auto& node = *reinterpret_cast<const Node*>(activity);
  if (node.graphNodeId == 0) return false;
  const clients::Locked locked(g_lock);
  Launch& launch = launch_of(node);
  launch.buffer = g_buffer;
  if (node.start < launch.record.start) launch.record.start = node.start;
  if (node.end > launch.record.end) launch.record.end = node.end;
  return true;
}

}  // namespace

bool choose_graph_nodes() {
  if (clients::may_have_clients()) g_makes_launches.store(true, std::memory_order_relaxed);
  return are_launches_made();
}

bool are_launches_made() { return g_makes_launches.load(std::memory_order_relaxed); }

bool add_graph_node(const CUpti_Activity* record) {
  if (!are_launches_made() && !clients::is_own(CUPTI_ACTIVITY_KIND_GRAPH_TRACE)) return false;
  switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return add<CUpti_ActivityKernel9>(record);
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return add<CUpti_ActivityMemcpy6>(record);
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return add<CUpti_ActivityMemcpyPtoP4>(record);
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return add<CUpti_ActivityMemset4>(record);
    default:
      return false;
  }
}

void finish_graph_launches(bool all) {
  const clients::Locked locked(g_lock);
  for (Launch& launch : g_launches)
    if (all || launch.buffer < g_buffer) finish(launch);
  ++g_buffer;
}

}  // namespace prof::cuda
