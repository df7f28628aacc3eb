// Graphs of CUDA for programs in Python, which use ctypes. Ids and callbacks are those of CUPTI
// 13.0 and 13.5 on an H200: a node's id has its graph in the upper half. An instantiation clones
// the graph and its nodes; a clone is reported as a new node and then as a clone. The executable
// graph has the id of this clone. Graphs in it are inlined: their nodes get new ids that no
// callback reports, in the order in which the clones of these graphs are destroyed. Work in the
// body of a conditional node has no correlation id (13.0), and its last kernel comes first. An
// update reports the source as the node and the updated node as the original, the last node first;
// it is silent about nodes that stay as they are.
#include <cuda.h>

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "fake_cupti.hpp"

namespace {

struct Graph;

enum class Kind { kKernel, kCopy, kFill, kGraph, kConditional };

struct Node : fake::Object {
  Kind kind;
  Graph* inner;  // of kGraph and kConditional
  bool in_body;  // of a conditional node
};

struct Graph : fake::Object {
  std::vector<std::unique_ptr<Node>> nodes;
};

struct Executable : fake::Object {
  Graph* graph;  // the clone, without graphs in it
};

constexpr const char* kKernel = "_Z4workv";

std::uint64_t g_last_graph;
thread_local Graph* t_captured;
thread_local const char* t_kernel = kKernel;  // the name of the next one

void report(CUpti_CallbackId id, Graph* graph, Graph* original, Node* node, Node* original_node,
            Executable* executable = nullptr) {
  CUpti_GraphData data{};
  data.graph = reinterpret_cast<CUgraph>(graph);
  data.originalGraph = reinterpret_cast<CUgraph>(original);
  data.node = reinterpret_cast<CUgraphNode>(node);
  data.originalNode = reinterpret_cast<CUgraphNode>(original_node);
  data.graphExec = reinterpret_cast<CUgraphExec>(executable);
  fake::resource(id, data);
}

bool has_graph(const Node& node) {
  return node.kind == Kind::kGraph || node.kind == Kind::kConditional;
}

Node* add(Graph& graph, Kind kind) {
  graph.nodes.push_back(std::make_unique<Node>());
  Node& node = *graph.nodes.back();
  node.id = (graph.id << 32) + graph.nodes.size() - 1;
  node.kind = kind;
  return &node;
}

// Graphs live as long as the program.
Graph* make() {
  auto* graph = new Graph;
  graph->id = ++g_last_graph;
  return graph;
}

Graph* clone(Graph& original) {
  Graph* graph = make();
  report(CUPTI_CBID_RESOURCE_GRAPH_CREATED, graph, nullptr, nullptr, nullptr);
  for (const auto& each : original.nodes) {
    Node* node = add(*graph, each->kind);
    if (has_graph(*each)) node->inner = clone(*each->inner);
    report(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, graph, nullptr, node, nullptr);
    report(CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED, graph, &original, node, each.get());
  }
  return graph;
}

// Replaces each graph in the graph by its nodes. A graph in a graph comes after its siblings.
void inline_graphs(Graph& graph) {
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node outer = *graph.nodes[i];
    if (!has_graph(outer)) continue;
    for (const auto& each : outer.inner->nodes) {
      Node* node = add(graph, each->kind);
      node->inner = each->inner;
      node->in_body = outer.in_body || outer.kind == Kind::kConditional;
    }
    report(CUPTI_CBID_RESOURCE_GRAPH_DESTROY_STARTING, outer.inner, nullptr, nullptr, nullptr);
  }
}

// The nodes of the graph and of those in it, in the order in which an instantiation numbers them.
std::vector<Node*> nodes_of(const Graph& graph) {
  std::vector<const Graph*> graphs{&graph};
  std::vector<Node*> nodes;
  for (std::size_t i = 0; i < graphs.size(); ++i)
    for (const auto& node : graphs[i]->nodes) {
      nodes.push_back(node.get());
      if (has_graph(*node)) graphs.push_back(node->inner);
    }
  return nodes;
}

// Every `changed`th node differs from the one that it was.
void update(Executable& executable, const Graph& from, std::size_t changed) {
  const std::vector<Node*> sources = nodes_of(from);
  for (std::size_t i = executable.graph->nodes.size(); i-- > 0;)
    if (changed != 0 && i % changed == 0 && !has_graph(*sources[i]))
      report(CUPTI_CBID_RESOURCE_GRAPH_NODE_UPDATED, nullptr, nullptr, sources[i],
             executable.graph->nodes[i].get(), &executable);
}

template <class Record>
void run(Record record, CUpti_ActivityKind kind, std::uint32_t correlation, const Node* node) {
  record.kind = kind;
  record.start = fake::now();
  record.end = record.start + 1000;
  record.contextId = 1;
  record.streamId = 7;
  record.correlationId = correlation;
  if (node != nullptr) {
    record.graphNodeId = node->id;
    record.graphId = static_cast<std::uint32_t>(node->id >> 32);
  }
  fake::record(&record, sizeof record);
}

void run(Kind kind, std::uint32_t correlation, const Node* node) {
  switch (kind) {
    case Kind::kKernel: {
      CUpti_ActivityKernel10 kernel{};
      kernel.name = t_kernel;
      kernel.gridX = kernel.gridY = kernel.gridZ = 1;
      kernel.blockX = kernel.blockY = kernel.blockZ = 1;
      return run(kernel, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, correlation, node);
    }
    case Kind::kCopy: {
      CUpti_ActivityMemcpy6 copy{};
      copy.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_DTOD;
      copy.bytes = 64;
      return run(copy, CUPTI_ACTIVITY_KIND_MEMCPY, correlation, node);
    }
    case Kind::kFill: {
      CUpti_ActivityMemset4 fill{};
      fill.bytes = 64;
      return run(fill, CUPTI_ACTIVITY_KIND_MEMSET, correlation, node);
    }
    case Kind::kGraph:
    case Kind::kConditional:
      return;
  }
}

void run(const Graph& graph, std::uint32_t correlation) {
  for (const auto& node : graph.nodes)
    if (!node->in_body) run(node->kind, correlation, node.get());
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node)
    if ((*node)->in_body) run((*node)->kind, 0, node->get());
}

// A call that works now or, during a capture, adds a node.
void work(CUpti_CallbackId id, Kind kind) {
  const fake::ApiCall call(CUPTI_CB_DOMAIN_RUNTIME_API, id);
  if (t_captured == nullptr) return run(kind, call.correlation, nullptr);
  report(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, t_captured, nullptr, add(*t_captured, kind),
         nullptr);
}

fake::ApiCall call(CUpti_CallbackId id) { return {CUPTI_CB_DOMAIN_RUNTIME_API, id}; }

}  // namespace

extern "C" {

void fake_kernel() { work(CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000, Kind::kKernel); }
void fake_named_kernel(const char* name) {
  static auto* const names = new std::set<std::string>;  // records have pointers to them at the end
  t_kernel = names->emplace(name).first->c_str();
  fake_kernel();
  t_kernel = kKernel;
}
void fake_copy() { work(CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020, Kind::kCopy); }
void fake_fill() { work(CUPTI_RUNTIME_TRACE_CBID_cudaMemsetAsync_v3020, Kind::kFill); }

void* fake_begin_capture() {
  const auto begin = call(CUPTI_RUNTIME_TRACE_CBID_cudaStreamBeginCapture_v10000);
  t_captured = make();
  report(CUPTI_CBID_RESOURCE_GRAPH_CREATED, t_captured, nullptr, nullptr, nullptr);
  return t_captured;
}

void fake_begin_capture_to_graph(void* graph) {
  const auto begin = call(CUPTI_RUNTIME_TRACE_CBID_cudaStreamBeginCaptureToGraph_v12030);
  t_captured = static_cast<Graph*>(graph);
}

void fake_end_capture() {
  const auto end = call(CUPTI_RUNTIME_TRACE_CBID_cudaStreamEndCapture_v10000);
  t_captured = nullptr;
}

void* fake_create_graph() {
  const auto create = call(CUPTI_RUNTIME_TRACE_CBID_cudaGraphCreate_v10000);
  Graph* graph = make();
  report(CUPTI_CBID_RESOURCE_GRAPH_CREATED, graph, nullptr, nullptr, nullptr);
  return graph;
}

void fake_add_kernel_node(void* graph) {
  const auto added = call(CUPTI_RUNTIME_TRACE_CBID_cudaGraphAddKernelNode_v10000);
  auto& to = *static_cast<Graph*>(graph);
  report(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, &to, nullptr, add(to, Kind::kKernel), nullptr);
}

void fake_add_child_graph(void* graph, void* child) {
  const auto added = call(CUPTI_RUNTIME_TRACE_CBID_cudaGraphAddChildGraphNode_v10000);
  auto& to = *static_cast<Graph*>(graph);
  Node* node = add(to, Kind::kGraph);
  node->inner = clone(*static_cast<Graph*>(child));
  report(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, &to, nullptr, node, nullptr);
}

// Returns the body.
void* fake_add_conditional(void* graph) {
  const auto added = call(CUPTI_RUNTIME_TRACE_CBID_cudaGraphAddNode_v12020);
  auto& to = *static_cast<Graph*>(graph);
  Node* node = add(to, Kind::kConditional);
  node->inner = make();
  report(CUPTI_CBID_RESOURCE_GRAPH_CREATED, node->inner, nullptr, nullptr, nullptr);
  report(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, &to, nullptr, node, nullptr);
  return node->inner;
}

void* fake_instantiate(void* graph) {
  const auto instantiate = call(CUPTI_RUNTIME_TRACE_CBID_cudaGraphInstantiate_v12000);
  auto* executable = new Executable;
  auto* source = static_cast<Graph*>(graph);
  executable->graph = clone(*source);
  executable->id = executable->graph->id;
  report(CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATE_STARTING, source, nullptr, nullptr, nullptr,
         executable);
  inline_graphs(*executable->graph);
  report(CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED, source, nullptr, nullptr, nullptr, executable);
  return executable;
}

void fake_update(void* executable, void* graph, int changed) {
  const fake::Arguments arguments{.parameters = {executable, graph}};
  const fake::ApiCall updated(CUPTI_CB_DOMAIN_RUNTIME_API,
                              CUPTI_RUNTIME_TRACE_CBID_cudaGraphExecUpdate_v10020, arguments);
  const fake::ApiCall inner(CUPTI_CB_DOMAIN_DRIVER_API,
                            CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate_v2, arguments);
  update(*static_cast<Executable*>(executable), *static_cast<Graph*>(graph),
         static_cast<std::size_t>(changed));
}

void fake_launch_graph(void* executable) {
  const fake::ApiCall launch(CUPTI_CB_DOMAIN_RUNTIME_API,
                             CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000);
  run(*static_cast<Executable*>(executable)->graph, launch.correlation);
}

void fake_profiler_start() {
  const auto start = call(CUPTI_RUNTIME_TRACE_CBID_cudaProfilerStart_v4000);
}

}  // extern "C"
