// Sums 64 Mi floats. STEP 0: each thread adds to one number in memory, 1: each block does.
//   nvcc -O3 -lineinfo -DSTEP=0 sum.cu -o sum0
#include "common.cuh"

constexpr int kNumber = 64 << 20;

#if STEP == 0
// All additions are to the same address, one after the other.
__global__ void sum(const float* in, float* total) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < kNumber; i += gridDim.x * blockDim.x)
    atomicAdd(total, in[i]);
}
#else
// A thread adds in a register, and four floats at a time. The threads of a warp add with shuffles, the warps of a block
// in shared memory, and one thread of each block adds to memory.
__global__ void sum(const float* in, float* total) {
  __shared__ float sums[32];
  float own = 0;
  const float4* fours = reinterpret_cast<const float4*>(in);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < kNumber / 4; i += gridDim.x * blockDim.x) {
    const float4 four = fours[i];
    own += four.x + four.y + four.z + four.w;
  }
  for (int lanes = 16; lanes > 0; lanes /= 2) own += __shfl_down_sync(0xffffffff, own, lanes);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = own;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  own = threadIdx.x < blockDim.x / 32 ? sums[threadIdx.x] : 0;
  for (int lanes = 16; lanes > 0; lanes /= 2) own += __shfl_down_sync(0xffffffff, own, lanes);
  if (threadIdx.x == 0) atomicAdd(total, own);
}
#endif

int main(int argc, char** argv) {
  Floats in(kNumber), total(1);
  in.fill([](int i) { return i % 4096 == 0 ? 1.0f : 0.0f; });
  run("sum", argc, argv, [&] {
    total.clear();
    sum<<<1056, 256>>>(in.device(), total.device());
  });
  return total.errors([](int) { return static_cast<float>(kNumber / 4096); });
}
