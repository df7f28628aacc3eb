// The launches of known_answer: every way to start a kernel except graphs.
#pragma once
#include <cuda.h>

#include "kernels.cuh"
#include "operations.cuh"

namespace known {

inline void kernels(Data& data) {
  Work& work = tally::g_direct;
  launch(work, "fill", fill, shape_for(kCount), data.ordinary, data.device, 5, kCount);
  const auto square = [] __device__(int value) { return value * value; };
  launch(work, "apply", apply<decltype(square)>, shape_for(1000), data.ordinary, data.device, 1000,
         square);
  verify(data, data.device, kCount, [](int i) { return i < 1000 ? 25 : 5; });

  // The default stream, and a grid and blocks of three dimensions.
  const Shape cube{dim3(4, 3, 2), dim3(8, 4, 2)};
  launch(work, "number_3d", number_3d, cube, nullptr, data.device);
  verify(data, data.device, 24 * 64, [](int i) { return i; });

  // More dynamic shared memory than a kernel gets by default.
  constexpr int kPerBlock = 16 * 1024;
  const Shape reversing{dim3(4), dim3(512), kPerBlock * sizeof(int)};
  CALL(cudaFuncSetAttribute, reverse_blocks, cudaFuncAttributeMaxDynamicSharedMemorySize,
       static_cast<int>(reversing.shared));
  std::iota(data.pinned, data.pinned + kCount, 0);
  copy(data.other, data.pinned, kBytes, cudaMemcpyHostToDevice, "Pinned>Device");
  launch(work, "reverse_blocks", reverse_blocks, reversing, data.ordinary, data.other, kPerBlock);
  verify(data, data.other, kCount, [](int i) {
    if (i >= 4 * kPerBlock) return i;
    return i / kPerBlock * kPerBlock + kPerBlock - 1 - i % kPerBlock;
  });
}

// Two instances of one template, in a namespace: one short name, two symbols.
template <typename T>
void scale_instance(Data& data, int launches) {
  constexpr int kNumbers = 4096;
  T* const host = reinterpret_cast<T*>(data.pinned);
  for (int i = 0; i < kNumbers; ++i) host[i] = static_cast<T>(i);
  copy(data.device, host, kNumbers * sizeof(T), cudaMemcpyHostToDevice, "Pinned>Device");
  for (int i = 0; i < launches; ++i)
    launch(tally::g_direct, "scale", work::scale<T>, {dim3(kNumbers / 128), dim3(128)},
           data.ordinary, reinterpret_cast<T*>(data.device), static_cast<T>(2), kNumbers);
  copy(host, data.device, kNumbers * sizeof(T), cudaMemcpyDeviceToHost, "Device>Pinned");
  for (int i = 0; i < kNumbers; ++i)  // exact: small integers times a power of two
    REQUIRE(host[i] == static_cast<T>(static_cast<long long>(i) << launches));
}

inline void launch_by_function(Data& data) {
  const Shape shape = shape_for(5000);
  int value = 6, numbers = 5000;
  void* arguments[] = {&data.device, &value, &numbers};
  CALL(cudaLaunchKernel, reinterpret_cast<const void*>(fill), shape.grid, shape.block, arguments, 0,
       data.ordinary);
  note_kernel(tally::g_direct, "fill", reinterpret_cast<const void*>(fill), shape);
  verify(data, data.device, 5000, [](int) { return 6; });
}

inline void launch_cooperative(Data& data) {
  const Shape shape{dim3(8), dim3(128)};
  int numbers = kCount;
  int* partial = data.other;
  int* sum = data.other + 64;
  void* arguments[] = {&data.device, &numbers, &partial, &sum};
  launch(tally::g_direct, "fill", fill, shape_for(kCount), data.ordinary, data.device, 3, kCount);
  CALL(cudaLaunchCooperativeKernel, reinterpret_cast<const void*>(grid_sum), shape.grid,
       shape.block, arguments, 0, data.ordinary);
  note_kernel(tally::g_direct, "grid_sum", reinterpret_cast<const void*>(grid_sum), shape);
  verify(data, sum, 1, [](int) { return 3 * kCount; });
}

inline void launch_clusters(Data& data) {
  const Shape shape{dim3(8), dim3(64)};
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = 2;
  attribute.val.clusterDim.y = 1;
  attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = shape.grid;
  config.blockDim = shape.block;
  config.stream = data.ordinary;
  config.attrs = &attribute;
  config.numAttrs = 1;
  void* arguments[] = {&data.device};
  CALL(cudaLaunchKernelExC, &config, reinterpret_cast<const void*>(cluster_sum), arguments);
  note_kernel(tally::g_direct, "cluster_sum", reinterpret_cast<const void*>(cluster_sum), shape);
  verify(data, data.device, 4, [](int i) { return (2 * i + 1) + (2 * i + 2); });
}

// No libcuda at link time: the runtime hands out the driver's function and the kernel's handle.
inline int launch_by_driver(Data& data, int launches) {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
  CALL(cudaGetDriverEntryPointByVersion, "cuLaunchKernel", &entry, 12000, cudaEnableDefault,
       &found);
  REQUIRE(found == cudaDriverEntryPointSuccess && entry != nullptr);
  const auto cu_launch_kernel = reinterpret_cast<decltype(&cuLaunchKernel)>(entry);
  cudaFunction_t function = nullptr;
  const void* const symbol = reinterpret_cast<const void*>(add_plain);
  CALL(cudaGetFuncBySymbol, &function, symbol);

  int value = 2, numbers = 3000;
  const Shape shape = shape_for(numbers);
  launch(tally::g_direct, "fill", fill, shape, data.ordinary, data.device, 0, numbers);
  void* arguments[] = {&data.device, &value, &numbers};
  for (int i = 0; i < launches; ++i) {
    REQUIRE(cu_launch_kernel(function, shape.grid.x, 1, 1, shape.block.x, 1, 1, 0, data.ordinary,
                             arguments, nullptr) == CUDA_SUCCESS);
    note_kernel(tally::g_direct, "add_plain", symbol, shape);
  }
  verify(data, data.device, numbers, [launches](int) { return 2 * launches; });
  return launches;
}

}  // namespace known
