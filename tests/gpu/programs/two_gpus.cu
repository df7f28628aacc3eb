// Kernels on two GPUs and copies between them, peer to peer and through the host.
#include <cstdio>
#include <cstdlib>

#define CALL(call, ...)                                                                      \
  do {                                                                                       \
    const cudaError_t result = call(__VA_ARGS__);                                            \
    if (result != cudaSuccess && result != cudaErrorPeerAccessAlreadyEnabled) {              \
      std::fprintf(stderr, "two_gpus: " #call ": %s\n", cudaGetErrorString(result));         \
      std::exit(1);                                                                          \
    }                                                                                        \
  } while (false)

__global__ void fill(int* numbers, int count, int value) {
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < count;
       i += static_cast<int>(gridDim.x * blockDim.x))
    numbers[i] = value;
}

int main() {
  constexpr int kCount = 1 << 20;
  constexpr std::size_t kBytes = kCount * sizeof(int);
  int* memory[2] = {};
  cudaStream_t stream[2] = {};
  int peers = 0;
  for (int device = 0; device < 2; ++device) {
    CALL(cudaSetDevice, device);
    CALL(cudaMalloc, &memory[device], kBytes);
    CALL(cudaStreamCreate, &stream[device]);
    CALL(cudaDeviceCanAccessPeer, &peers, device, 1 - device);
    if (peers != 0) CALL(cudaDeviceEnablePeerAccess, 1 - device, 0);
    for (int i = 0; i <= device; ++i) fill<<<32, 256, 0, stream[device]>>>(memory[device], kCount, 7 + device);
    CALL(cudaStreamSynchronize, stream[device]);
  }
  CALL(cudaMemcpyPeerAsync, memory[1], 1, memory[0], 0, kBytes, stream[0]);
  CALL(cudaStreamSynchronize, stream[0]);
  CALL(cudaMemcpyPeer, memory[0], 0, memory[1], 1, kBytes / 2);
  int last = 0;
  CALL(cudaMemcpy, &last, memory[1] + kCount - 1, sizeof last, cudaMemcpyDeviceToHost);
  std::printf("{\"kernels\": {\"0\": 1, \"1\": 2}, \"peer\": %d, \"last\": %d}\n", peers, last);
  return last == 7 ? 0 : 1;
}
