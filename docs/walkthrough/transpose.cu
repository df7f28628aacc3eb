// Transposes 4096 x 4096 floats. STEP 0: straight, 1: through a tile in shared memory, 2: with a padded tile.
//   nvcc -O3 -lineinfo -DSTEP=0 transpose.cu -o transpose0
#include "common.cuh"

constexpr int kSize = 4096;
constexpr int kTile = 32;

#if STEP == 0
// Neighbouring threads read neighbouring floats, but write floats that are 16 KiB apart.
__global__ void transpose(const float* in, float* out) {
  const int x = blockIdx.x * kTile + threadIdx.x;
  for (int row = threadIdx.y; row < kTile; row += blockDim.y) {
    const int y = blockIdx.y * kTile + row;
    out[x * kSize + y] = in[y * kSize + x];
  }
}
#else
// The tile is turned in shared memory, so that both accesses to global memory are to neighbours.
__global__ void transpose(const float* in, float* out) {
  __shared__ float tile[kTile][kTile + (STEP == 2 ? 1 : 0)];
  int x = blockIdx.x * kTile + threadIdx.x;
  for (int row = threadIdx.y; row < kTile; row += blockDim.y)
    tile[row][threadIdx.x] = in[(blockIdx.y * kTile + row) * kSize + x];
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x;
  for (int row = threadIdx.y; row < kTile; row += blockDim.y)
    out[(blockIdx.x * kTile + row) * kSize + x] = tile[threadIdx.x][row];
}
#endif

int main(int argc, char** argv) {
  Floats in(kSize * kSize), out(kSize * kSize);
  in.fill([](int i) { return static_cast<float>(i % 1000); });
  run("transpose", argc, argv, [&] {
    transpose<<<dim3(kSize / kTile, kSize / kTile), dim3(kTile, 8)>>>(in.device(), out.device());
  });
  return out.errors([](int i) { return static_cast<float>((i % kSize * kSize + i / kSize) % 1000); });
}
