// CUPTI's callbacks for resources: the end of cuInit, and graphs and their nodes.
//
// An instantiation clones the graph, its nodes and the graphs in it. Then it inlines these: nodes
// of the clone of an inner graph get new ids in the executable graph, after the ids that it has,
// in the order in which the clones are destroyed, and without callbacks. That is so with CUPTI 13.0
// and 13.5 (seen on an H200), for child graphs and for bodies of conditional nodes.
#include <cstddef>

#include "common/wire/stack_records.hpp"
#include "injection/core/clock.hpp"
#include "injection/core/doors.hpp"
#include "injection/core/record/stack_copy.hpp"
#include "injection/cuda/pc_sampling/pc_sampling.hpp"
#include "injection/cuda/state.hpp"

namespace prof::cuda {

namespace {

using wire::CudaGraphEvent;

std::uint64_t id_of(CUgraph graph) {
  std::uint32_t id = 0;
  return graph != nullptr && g_cupti.cuptiGetGraphId(graph, &id) == CUPTI_SUCCESS ? id : 0;
}
std::uint64_t id_of(CUgraphNode node) {
  std::uint64_t id = 0;
  return node != nullptr && g_cupti.cuptiGetGraphNodeId(node, &id) == CUPTI_SUCCESS ? id : 0;
}
std::uint64_t id_of(CUgraphExec exec) {
  std::uint32_t id = 0;
  return exec != nullptr && g_cupti.cuptiGetGraphExecId != nullptr &&
                 g_cupti.cuptiGetGraphExecId(exec, &id) == CUPTI_SUCCESS
             ? id
             : 0;
}

// The id of a node has its graph in the upper half. An executable graph has the id of its clone.
std::uint32_t graph_of(std::uint64_t node) { return static_cast<std::uint32_t>(node >> 32); }

void write_at(std::uint64_t time, CudaGraphEvent event, std::uint64_t id, std::uint64_t original,
              std::uint64_t exec) {
  core::append(wire::CudaGraphEventRecord{
      core::header_of<wire::CudaGraphEventRecord>(wire::RecordType::kCudaGraphEvent,
                                                  static_cast<std::uint32_t>(event)),
      time, id, original, exec});
}

void write(CudaGraphEvent event, std::uint64_t id, std::uint64_t original, std::uint64_t exec) {
  write_at(core::now(), event, id, original, exec);
}

void record_chain(std::uint64_t time) {
  const wire::CudaConfig& config = core::g_process.config.cuda;
  constexpr auto kLaunch = static_cast<std::size_t>(wire::CudaCallKind::kKernel);
  if (core::has_feature(wire::kFeaturePythonCuda)) core::g_doors.record_python_chain(time);
  if (core::has_feature(wire::kFeatureCudaStacks) &&
      config.stack_thresholds[kLaunch] != ~std::uint64_t{0})
    core::send_stack(time, config.stack_bytes,
                     wire::kStackOfCuda | (core::t_state.cuda_depth != 0 ? wire::kStackOfCudaRuntime
                                                                         : std::uint8_t{0}));
}

// A node is made once and launched often. It gets the call chain that a launch would get; a
// threshold for the time of calls does not concern it. A clone is reported as a new node, too, and
// then as a clone. Clones need no chains: except the first one of a graph, they are known.
void write_new_node(std::uint64_t id) {
  core::ThreadState& t = core::t_state;
  const std::uint64_t time = core::now();
  if (t.cloned_graph != graph_of(id)) {
    t.cloned_graph = 0;
    core::record_open_ranges();
    record_chain(time);
  }
  write_at(time, CudaGraphEvent::kNodeCreated, id, 0, 0);
}

void write_clone(std::uint64_t id, std::uint64_t original) {
  core::t_state.cloned_graph = graph_of(id);
  write(CudaGraphEvent::kNodeCloned, id, original, 0);
}

// Contrary to its documentation, CUPTI 13.0 and 13.5 call the updated node the original, and the
// node that it takes over the updated one (seen on an H200).
void write_update(const CUpti_GraphData& graph) {
  const std::uint64_t node = id_of(graph.node);
  const std::uint64_t original = id_of(graph.originalNode);
  if (node == 0 || original == 0) return;
  if (graph_of(original) == id_of(graph.graphExec))
    write(CudaGraphEvent::kNodeUpdated, original, node, 0);
  else
    write(CudaGraphEvent::kNodeUpdated, node, original, 0);
}

// The end of a graph is recorded only if its nodes are in an executable graph from now on.
void on_graph_end(std::uint64_t graph) {
  const std::uint32_t made = core::t_state.cloned_graph;
  if (made == graph)
    core::t_state.cloned_graph = 0;
  else if (made != 0)
    write(CudaGraphEvent::kGraphInlined, graph, 0, made);
}

static_assert(offsetof(cuGraphExecUpdate_params, hGraphExec) ==
              offsetof(cuGraphExecUpdate_v2_params, hGraphExec));
static_assert(offsetof(cuGraphExecUpdate_params, hGraph) ==
              offsetof(cuGraphExecUpdate_v2_params, hGraph));
static_assert(offsetof(cudaGraphExecUpdate_v10020_params, hGraphExec) ==
              offsetof(cuGraphExecUpdate_v2_params, hGraphExec));
static_assert(offsetof(cudaGraphExecUpdate_v10020_params, hGraph) ==
              offsetof(cuGraphExecUpdate_v2_params, hGraph));

}  // namespace

// CUPTI reports only the nodes that an update changes (13.0 and 13.5 on an H200). The collector
// finds the others from the graph, which costs an update nothing but this record. A walk over the
// graph takes 2 ms for 10,000 nodes, and over its dependencies 20 ms.
void on_graph_update(const CUpti_CallbackData& data) {
  const auto* result = static_cast<const std::int32_t*>(data.functionReturnValue);
  const auto* given = static_cast<const cuGraphExecUpdate_v2_params*>(data.functionParams);
  if (result == nullptr || *result != CUDA_SUCCESS || given == nullptr) return;
  const std::uint64_t exec = id_of(given->hGraphExec);
  const std::uint64_t graph = id_of(given->hGraph);
  if (exec != 0 && graph != 0) write(CudaGraphEvent::kExecUpdated, graph, 0, exec);
}

void enable_resource_callbacks() {
  const auto enable = [](CUpti_CallbackId id) {
    g_cupti.cuptiEnableCallback(1, g_state.subscriber, CUPTI_CB_DOMAIN_RESOURCE, id);
  };
  enable(CUPTI_CBID_RESOURCE_CU_INIT_FINISHED);
  enable(CUPTI_CBID_RESOURCE_GRAPH_CREATED);
  enable(CUPTI_CBID_RESOURCE_GRAPH_CLONED);
  enable(CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED);
  pc::enable_callbacks();
  if ((core::g_process.config.cuda.flags & wire::kCudaGraphNodes) == 0) return;
  enable(CUPTI_CBID_RESOURCE_GRAPH_DESTROY_STARTING);
  enable(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED);
  enable(CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED);
  enable(CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATE_STARTING);
  enable(CUPTI_CBID_RESOURCE_GRAPH_NODE_UPDATED);  // older versions lack it
}

void on_resource(CUpti_CallbackId id, const CUpti_ResourceData& data) {
  if (id == CUPTI_CBID_RESOURCE_CU_INIT_FINISHED) return on_init_finished();
  if (pc::on_resource(id, data)) return;
  if (data.resourceDescriptor == nullptr) return;
  const auto& graph = *static_cast<const CUpti_GraphData*>(data.resourceDescriptor);
  switch (id) {
    case CUPTI_CBID_RESOURCE_GRAPH_CREATED:
      return write(CudaGraphEvent::kGraphCreated, id_of(graph.graph), 0, 0);
    case CUPTI_CBID_RESOURCE_GRAPH_CLONED:
      core::t_state.cloned_graph = 0;
      return write(CudaGraphEvent::kGraphCloned, id_of(graph.graph), id_of(graph.originalGraph), 0);
    case CUPTI_CBID_RESOURCE_GRAPH_DESTROY_STARTING:
      return on_graph_end(id_of(graph.graph));
    case CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATE_STARTING:
      core::t_state.cloned_graph = static_cast<std::uint32_t>(id_of(graph.graphExec));
      return;
    case CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED:
      core::t_state.cloned_graph = 0;
      return write(CudaGraphEvent::kExecCreated, id_of(graph.graph), 0, id_of(graph.graphExec));
    case CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED:
      return write_new_node(id_of(graph.node));
    case CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED:
      return write_clone(id_of(graph.node), id_of(graph.originalNode));
    case CUPTI_CBID_RESOURCE_GRAPH_NODE_UPDATED:
      return write_update(graph);
    default:
      return;
  }
}

}  // namespace prof::cuda
