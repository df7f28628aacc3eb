// Looks 64 Mi numbers up in a table of a curve. STEP 0: a large table, 1: a small one, with interpolation.
//   nvcc -O3 -lineinfo -DSTEP=0 lookup.cu -o lookup0
#include "common.cuh"

constexpr int kNumber = 64 << 20;
constexpr int kEntries = STEP == 0 ? 16384 : 1024;

__device__ __host__ float curve(float x) { return x * (2 - x); }

#if STEP == 0
__device__ float look_up(const float* table, float x) { return table[static_cast<int>(x * (kEntries - 1) + 0.5f)]; }
#else
__device__ float look_up(const float* table, float x) {
  const float at = x * (kEntries - 2);
  const int entry = static_cast<int>(at);
  return table[entry] + (table[entry + 1] - table[entry]) * (at - entry);
}
#endif

// Each block makes a copy of the table. 64 KiB leave room for three blocks on a multiprocessor, 4 KiB for sixteen.
__global__ void lookup(const float* in, float* out) {
  extern __shared__ float table[];
  const float last = kEntries - (STEP == 0 ? 1 : 2);
  for (int i = threadIdx.x; i < kEntries; i += blockDim.x) table[i] = curve(i / last);
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < kNumber; i += gridDim.x * blockDim.x)
    out[i] = look_up(table, in[i]);
}

int main(int argc, char** argv) {
  constexpr int kBytes = kEntries * sizeof(float);
  check(cudaFuncSetAttribute(lookup, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
  Floats in(kNumber), out(kNumber);
  in.fill([](int i) { return static_cast<float>(i % 1001) / 1000; });
  run("lookup", argc, argv, [&] { lookup<<<2112, 128, kBytes>>>(in.device(), out.device()); });
  return out.errors([](int i) { return curve(static_cast<float>(i % 1001) / 1000); }, 1e-3f);
}
