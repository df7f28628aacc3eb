// The kernels of known_answer: every form of name and launch that a report must distinguish.
#pragma once
#include <cooperative_groups.h>
#include <cuda_runtime.h>

__device__ int g_symbol;

namespace work {

template <typename T>
__global__ void scale(T* data, T factor, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) data[i] *= factor;
}

}  // namespace work

__global__ void fill(int* data, int value, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) data[i] = value;
}

// Each thread of a three-dimensional grid writes its own linear number.
__global__ void number_3d(int* data) {
  const int block =
      static_cast<int>((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x);
  const int thread =
      static_cast<int>((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x);
  const int i = block * static_cast<int>(blockDim.x * blockDim.y * blockDim.z) + thread;
  data[i] = i;
}

template <typename Function>
__global__ void apply(int* data, int count, Function function) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) data[i] = function(data[i]);
}

// Reverses the `per_block` numbers of each block, all of them held in dynamic shared memory.
__global__ void reverse_blocks(int* data, int per_block) {
  extern __shared__ int held[];
  int* const mine = data + static_cast<size_t>(blockIdx.x) * per_block;
  for (int i = static_cast<int>(threadIdx.x); i < per_block; i += static_cast<int>(blockDim.x))
    held[i] = mine[i];
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < per_block; i += static_cast<int>(blockDim.x))
    mine[i] = held[per_block - 1 - i];
}

// The result is right only if all blocks are resident together: the second half reads the output of
// every block.
__global__ void grid_sum(const int* data, int count, int* partial, int* sum) {
  __shared__ int block_sum;
  if (threadIdx.x == 0) block_sum = 0;
  __syncthreads();
  const int threads = static_cast<int>(gridDim.x * blockDim.x);
  int own = 0;
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < count; i += threads)
    own += data[i];
  atomicAdd(&block_sum, own);
  __syncthreads();
  if (threadIdx.x == 0) partial[blockIdx.x] = block_sum;
  cooperative_groups::this_grid().sync();
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    int total = 0;
    for (unsigned i = 0; i < gridDim.x; ++i) total += partial[i];
    *sum = total;
  }
}

// Block 0 of each cluster adds the numbers that the others hold in their shared memory.
__global__ void cluster_sum(int* sums) {
  __shared__ int held;
  auto cluster = cooperative_groups::this_cluster();
  if (threadIdx.x == 0) held = static_cast<int>(blockIdx.x) + 1;
  cluster.sync();
  if (cluster.block_rank() == 0 && threadIdx.x == 0) {
    int total = 0;
    for (unsigned rank = 0; rank < cluster.num_blocks(); ++rank)
      total += *cluster.map_shared_rank(&held, static_cast<int>(rank));
    sums[blockIdx.x / cluster.num_blocks()] = total;
  }
  cluster.sync();  // no block may leave while its shared memory is read
}

__global__ void thread_work(int* data, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) data[i] += 1;
}

extern "C" __global__ void add_plain(int* data, int value, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) data[i] += value;
}
