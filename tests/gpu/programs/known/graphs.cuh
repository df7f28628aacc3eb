// The graphs of known_answer: one captured from a stream, one made node by node.
#pragma once
#include "kernels.cuh"
#include "operations.cuh"

namespace known {

inline void run_graph(cudaGraph_t graph, const Work& one_launch, int launches, Data& data) {
  size_t nodes = 0;
  CALL(cudaGraphGetNodes, graph, nullptr, &nodes);
  cudaGraphExec_t executable = nullptr;
  CALL(cudaGraphInstantiate, &executable, graph, 0);
  for (int i = 0; i < launches; ++i) {
    CALL(cudaGraphLaunch, executable, data.ordinary);
    count(&Counters::graph_launches);
    tally::g_graph.add(one_launch);
  }
  synchronize(data.ordinary);
  CALL(cudaGraphExecDestroy, executable);
  CALL(cudaGraphDestroy, graph);
  g_graphs.push_back("{\"nodes\": " + tally::json(static_cast<long long>(nodes)) +
                     ", \"launches\": " + tally::json(launches) + "}");
}

// Runs a kernel and a copy five times. After every launch the second buffer is a copy of the first.
inline void captured_graph(Data& data, int launches) {
  constexpr int kPairs = 5, kNumbers = 2048;
  const Shape shape = shape_for(kNumbers);
  launch(tally::g_direct, "fill", fill, shape, data.ordinary, data.device, 100, kNumbers);
  Work once;
  cudaGraph_t graph = nullptr;
  CALL(cudaStreamBeginCapture, data.ordinary, cudaStreamCaptureModeThreadLocal);
  for (int i = 0; i < kPairs; ++i) {
    launch(once, "add_plain", add_plain, shape, data.ordinary, data.device, 1, kNumbers);
    copy_async(once, data.other, data.device, kNumbers * sizeof(int), cudaMemcpyDeviceToDevice,
               "Device>Device", data.ordinary);
  }
  CALL(cudaStreamEndCapture, data.ordinary, &graph);
  g_captured["cudaLaunchKernel"] += kPairs;
  g_captured["cudaMemcpyAsync"] += kPairs;
  run_graph(graph, once, launches, data);
  verify(data, data.other, kNumbers, [launches](int) { return 100 + kPairs * launches; });
}

inline void explicit_graph(Data& data, int launches) {
  constexpr int kNumbers = 1024;
  const Shape shape = shape_for(kNumbers);
  Work once;
  cudaGraph_t graph = nullptr;
  cudaGraphNode_t set = nullptr, add = nullptr, read = nullptr;
  CALL(cudaGraphCreate, &graph, 0);

  cudaMemsetParams memset_parameters{};
  memset_parameters.dst = data.device;
  memset_parameters.elementSize = sizeof(int);
  memset_parameters.value = 7;
  memset_parameters.width = kNumbers;
  memset_parameters.height = 1;
  CALL(cudaGraphAddMemsetNode, &set, graph, nullptr, 0, &memset_parameters);
  note_memset(once, 7, kNumbers * sizeof(int));

  int value = 5, numbers = kNumbers;
  void* arguments[] = {&data.device, &value, &numbers};
  cudaKernelNodeParams kernel_parameters{};
  kernel_parameters.func = reinterpret_cast<void*>(add_plain);
  kernel_parameters.gridDim = shape.grid;
  kernel_parameters.blockDim = shape.block;
  kernel_parameters.kernelParams = arguments;
  CALL(cudaGraphAddKernelNode, &add, graph, &set, 1, &kernel_parameters);
  note_kernel(once, "add_plain", reinterpret_cast<const void*>(add_plain), shape);

  CALL(cudaGraphAddMemcpyNode1D, &read, graph, &add, 1, data.pinned_other, data.device,
       kNumbers * sizeof(int), cudaMemcpyDeviceToHost);
  note_copy(once, cudaMemcpyDeviceToHost, "Device>Pinned", kNumbers * sizeof(int));

  std::fill(data.pinned_other, data.pinned_other + kNumbers, -1);
  run_graph(graph, once, launches, data);
  for (int i = 0; i < kNumbers; ++i) REQUIRE(data.pinned_other[i] == 12);
}

}  // namespace known
