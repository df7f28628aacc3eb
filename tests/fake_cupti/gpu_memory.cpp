// Memory, graphs and the other operations of the made-up GPUs.
#include <cstring>

#include "gpu.hpp"
#include "injection/cuda/cupti_v2.hpp"

namespace fake {

namespace v2 = prof::cuda::v2;

namespace {

constexpr std::uint64_t kHostFunctionNs = 3000;

CUpti_ActivityMemory4 allocation(CUpti_ActivityMemoryKind kind, std::uint64_t address,
                                 std::uint64_t bytes, std::uint32_t correlation) {
  CUpti_ActivityMemory4 made{};
  made.kind = CUPTI_ACTIVITY_KIND_MEMORY2;
  made.memoryOperationType = CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION;
  made.memoryKind = kind;
  made.correlationId = correlation;
  made.address = address;
  made.bytes = bytes;
  made.timestamp = now();
  made.PC = 0x400123;
  made.deviceId = kFirst.device;
  made.contextId = kFirst.context;
  made.streamId = kFirst.stream;
  return made;
}

Json memory_row(const CUpti_ActivityMemory4& m, int operation) {
  const bool pooled = m.memoryPoolConfig.memoryPoolType != CUPTI_ACTIVITY_MEMORY_POOL_TYPE_INVALID;
  const auto of_pool = [&](std::uint64_t value) { return pooled ? Json(value) : Json(); };
  return {{"deviceId", m.deviceId},
          {"contextId", m.contextId},
          {"address", m.address},
          {"pc", m.PC},
          {"bytes", m.bytes},
          {"memKind", static_cast<int>(m.memoryKind) - 1},
          {"memoryOperationType", operation},
          {"name", m.name == nullptr ? Json() : Json(m.name)},
          {"correlationId", m.correlationId},
          {"streamId", m.isAsync != 0 ? Json(m.streamId) : Json()},
          {"localMemoryPoolAddress", of_pool(m.memoryPoolConfig.address)},
          {"localMemoryPoolReleaseThreshold", of_pool(m.memoryPoolConfig.releaseThreshold)},
          {"localMemoryPoolSize", of_pool(m.memoryPoolConfig.pool.size)},
          {"localMemoryPoolUtilizedSize", of_pool(m.memoryPoolConfig.utilizedSize)}};
}

CUpti_GraphData graph_data(Object* graph, Object* original, Object* exec, Object* node,
                           Object* original_node) {
  CUpti_GraphData data{};
  data.graph = reinterpret_cast<CUgraph>(graph);
  data.originalGraph = reinterpret_cast<CUgraph>(original);
  data.graphExec = reinterpret_cast<CUgraphExec>(exec);
  data.node = reinterpret_cast<CUgraphNode>(node);
  data.originalNode = reinterpret_cast<CUgraphNode>(original_node);
  return data;
}

}  // namespace

// Allocates and frees.
void Gpu::allocate(CUpti_ActivityMemoryKind kind, std::uint64_t address, std::uint64_t bytes,
                   const char* name) {
  runtime_over_driver(CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020,
                      CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2, [&](std::uint32_t correlation) {
                        auto made = allocation(kind, address, bytes, correlation);
                        made.name = name;
                        put(made);
                        expect("MEMORY", memory_row(made, 0));
                      });
  runtime_over_driver(CUPTI_RUNTIME_TRACE_CBID_cudaFree_v3020, CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2,
                      [&](std::uint32_t correlation) {
                        auto gone = allocation(kind, address, bytes, correlation);
                        gone.memoryOperationType = CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE;
                        put(gone);
                        expect("MEMORY", memory_row(gone, 1));
                      });
}

void Gpu::allocate_from_pool(std::uint64_t address, std::uint64_t bytes, Place at) {
  runtime_over_driver(
      CUPTI_RUNTIME_TRACE_CBID_cudaMallocAsync_v11020, CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync,
      [&](std::uint32_t correlation) {
        auto made = allocation(CUPTI_ACTIVITY_MEMORY_KIND_DEVICE, address, bytes, correlation);
        made.isAsync = 1;
        made.streamId = at.stream;
        made.memoryPoolConfig.memoryPoolType = CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL;
        made.memoryPoolConfig.address = 0xbeef00;
        made.memoryPoolConfig.releaseThreshold = 1 << 20;
        made.memoryPoolConfig.pool.size = 32 << 20;
        made.memoryPoolConfig.utilizedSize = bytes;
        put(made);
        expect("MEMORY", memory_row(made, 0));
      });
}

void Gpu::pool(CUpti_ActivityMemoryPoolOperationType operation) {
  const bool created = operation == CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_CREATED;
  const bool trimmed = operation == CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_TRIMMED;
  const CUpti_CallbackId id = created   ? CUPTI_RUNTIME_TRACE_CBID_cudaMemPoolCreate_v11020
                              : trimmed ? CUPTI_RUNTIME_TRACE_CBID_cudaMemPoolTrimTo_v11020
                                        : CUPTI_RUNTIME_TRACE_CBID_cudaMemPoolDestroy_v11020;
  runtime(id, [&](std::uint32_t correlation) {
    CUpti_ActivityMemoryPool3 made{};
    made.kind = CUPTI_ACTIVITY_KIND_MEMORY_POOL;
    made.memoryPoolOperationType = operation;
    made.memoryPoolType = CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL;
    made.correlationId = correlation;
    made.minBytesToKeep = 4096;
    made.address = 0xbeef00;
    made.size = 32 << 20;
    made.releaseThreshold = 1 << 20;
    made.timestamp = now();
    made.utilizedSize = 8192;
    put(made);
    expect("POOL", {{"deviceId", 0},
                    {"address", +made.address},
                    {"operationType", static_cast<int>(operation)},
                    {"poolType", 1},
                    {"correlationId", correlation},
                    {"minBytesToKeep", trimmed ? Json(4096) : Json()},
                    {"localMemoryPoolReleaseThreshold", 1 << 20},
                    {"localMemoryPoolSize", 32 << 20},
                    {"localMemoryPoolUtilizedSize", 8192}});
  });
}

// A graph of two kernels, and its launches. Ids are as in CUPTI: graphs and executable graphs share
// one sequence, and a node's id has its graph in the upper half.
void Gpu::graph(int launches, Place at) {
  Object graph{1};
  Object clone{2};
  Object exec{3};
  Object nodes[2] = {{(std::uint64_t{1} << 32) + 1}, {(std::uint64_t{1} << 32) + 2}};
  Object clones[2] = {{(std::uint64_t{2} << 32) + 1}, {(std::uint64_t{2} << 32) + 2}};
  const auto graph_event = [&](CUpti_CallbackId id, CUpti_GraphData data, Json row) {
    resource(id, data);
    expect("GRAPH_EVENTS", std::move(row));
  };
  const auto node_event = [&](CUpti_CallbackId id, CUpti_GraphData data, Json row) {
    resource(id, data);
    expect("NODE_EVENTS", std::move(row));
  };
  runtime(CUPTI_RUNTIME_TRACE_CBID_cudaGraphCreate_v10000, [&](std::uint32_t) {
    graph_event(CUPTI_CBID_RESOURCE_GRAPH_CREATED,
                graph_data(&graph, nullptr, nullptr, nullptr, nullptr),
                {{"eventClass", 95},
                 {"graphId", 1},
                 {"originalGraphId", nullptr},
                 {"graphExecId", nullptr}});
  });
  for (Object& node : nodes)
    runtime(CUPTI_RUNTIME_TRACE_CBID_cudaGraphAddKernelNode_v10000, [&](std::uint32_t) {
      node_event(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED,
                 graph_data(&graph, nullptr, nullptr, &node, nullptr),
                 {{"graphNodeId", node.id}, {"originalGraphNodeId", nullptr}});
    });
  runtime(CUPTI_RUNTIME_TRACE_CBID_cudaGraphInstantiate_v12000, [&](std::uint32_t) {
    graph_event(
        CUPTI_CBID_RESOURCE_GRAPH_CLONED, graph_data(&clone, &graph, nullptr, nullptr, nullptr),
        {{"eventClass", 96}, {"graphId", 2}, {"originalGraphId", 1}, {"graphExecId", nullptr}});
    for (int i : {0, 1})
      node_event(CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED,
                 graph_data(&clone, &graph, nullptr, &clones[i], &nodes[i]),
                 {{"graphNodeId", clones[i].id}, {"originalGraphNodeId", nodes[i].id}});
    graph_event(
        CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED, graph_data(&graph, nullptr, &exec, nullptr, nullptr),
        {{"eventClass", 94}, {"graphId", 1}, {"originalGraphId", nullptr}, {"graphExecId", 3}});
  });
  for (int i = 0; i < launches; ++i)
    runtime_over_driver(CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000,
                        CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, [&](std::uint32_t correlation) {
                          CUpti_ActivityGraphTrace2 trace{};
                          trace.kind = CUPTI_ACTIVITY_KIND_GRAPH_TRACE;
                          trace.correlationId = correlation;
                          take_time(trace, 12000);
                          trace.deviceId = trace.endDeviceId = at.device;
                          trace.contextId = trace.endContextId = at.context;
                          trace.streamId = at.stream;
                          trace.graphId = 3;
                          expect("GRAPH_TRACE", {{"deviceId", at.device},
                                                 {"contextId", at.context},
                                                 {"streamId", at.stream},
                                                 {"correlationId", correlation},
                                                 {"graphId", 1},
                                                 {"graphExecId", 3},
                                                 {"duration", 12000}});
                          const bool whole = put(trace);
                          for (const Object& node : clones) {
                            const auto k = kernel("_Z9node_workPf", at, correlation, node.id, 3);
                            if (!whole && !do_graphs_stay_whole()) put(k);
                            expect_kernel(k, "NODE_KERNEL");
                          }
                          host_node((std::uint64_t{2} << 32) + 3, 3, at, correlation);
                        });
}

void Gpu::host_function(Place at) {
  runtime_over_driver(CUPTI_RUNTIME_TRACE_CBID_cudaLaunchHostFunc_v10000,
                      CUPTI_DRIVER_TRACE_CBID_cuLaunchHostFunc, [&](std::uint32_t correlation) {
                        v2::HostLaunch made{};
                        made.kind = v2::kHostLaunchKind;
                        made.stream = at.stream;
                        made.context = at.context;
                        made.device = at.device;
                        made.correlation = correlation;
                        made.thread = static_cast<std::uint32_t>(syscall(SYS_gettid));
                        take_time(made, kHostFunctionNs);
                        if (misbehaviour().version < v2::kHostFunctions) return;
                        put(made);
                        expect_host_function(at, correlation, Json(), Json());
                      });
}

void Gpu::host_node(std::uint64_t node, std::uint32_t exec, Place at, std::uint32_t correlation) {
  v2::GraphHostNode made{};
  made.kind = v2::kGraphHostNodeKind;
  made.stream = at.stream;
  made.context = at.context;
  made.device = at.device;
  made.correlation = correlation;
  made.graph = exec;
  made.node = node;
  take_time(made, kHostFunctionNs);
  if (misbehaviour().version < v2::kHostFunctions || !put(made)) return;
  expect_host_function(at, correlation, node, exec);
}

void Gpu::expect_host_function(Place at, std::uint32_t correlation, Json node, Json graph) {
  const bool green = at.context == kGreen.context;
  expect("HOST_FUNCTION", {{"deviceId", at.device},
                           {"contextId", green ? kFirst.context : at.context},
                           {"greenContextId", green ? at.context : 0},
                           {"streamId", at.stream},
                           {"correlationId", correlation},
                           {"graphNodeId", std::move(node)},
                           {"graphId", std::move(graph)},
                           {"duration", kHostFunctionNs}});
}

void Gpu::switch_contexts() {
  constexpr std::uint32_t kBegins = 1;
  constexpr std::uint32_t kEnds = 2;
  const auto put_switch = [&](Place at, std::uint32_t operation) {
    v2::ContextSwitch made{};
    made.kind = v2::kContextSwitchKind;
    made.context = at.context;
    made.time = now();
    made.operation = operation;
    return misbehaviour().version >= v2::kHostFunctions && put(made);
  };
  for (const Place& at : {kFirst, kGreen, kFirst, kSecond})
    for (const std::uint32_t operation : {kBegins, kEnds})
      if (put_switch(at, operation))
        expect("CONTEXT_SWITCH", {{"contextId", at.context},
                                  {"tag", operation == kBegins ? 9 : 7},
                                  {"gpuId", physical(static_cast<int>(at.device))}});
}

void Gpu::migrate(CUpti_ActivityUnifiedMemoryCounterKind kind, std::uint64_t value) {
  CUpti_ActivityUnifiedMemoryCounter3 made{};
  made.kind = CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER;
  made.counterKind = kind;
  made.value = value;
  made.start = now();
  made.end = made.start + 700;
  made.address = 0x7f0000000000;
  made.streamId = 7;
  made.flags = 1;
  const bool down = kind == CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH;
  made.srcId = down ? 1 : 0;
  made.dstId = down ? 0 : 1;
  put(made);
  switch (kind) {
    case CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_CPU_PAGE_FAULT_COUNT:
      return expect("CPU_FAULT", {{"address", +made.address}});
    case CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT:
      return expect("GPU_FAULT", {{"address", +made.address},
                                  {"deviceId", 0},
                                  {"numberOfPageFaults", value},
                                  {"faultAccessType", 1},
                                  {"duration", 700}});
    default:
      return expect("MIGRATION", {{"copyKind", down ? 12 : 11},
                                  {"deviceId", 1},
                                  {"bytes", value},
                                  {"srcKind", 4},
                                  {"dstKind", 4},
                                  {"virtualAddress", +made.address},
                                  {"migrationCause", 1},
                                  {"streamId", 7},
                                  {"duration", 700}});
  }
}

void Gpu::overhead(CUpti_ActivityOverheadKind kind) {
  CUpti_ActivityOverhead3 made{};
  made.kind = CUPTI_ACTIVITY_KIND_OVERHEAD;
  made.overheadKind = kind;
  made.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
  made.objectId.pt.threadId = static_cast<std::uint32_t>(syscall(SYS_gettid));
  made.start = now();
  made.end = made.start + 900;
  put(made);
  expect(
      "OVERHEAD",
      {{"kind", static_cast<int>(kind)}, {"tid", +made.objectId.pt.threadId}, {"duration", 900}});
}

}  // namespace fake
