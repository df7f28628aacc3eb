// Launches as many empty kernels as each line of its input says, in a range "request", waits for them, and answers with
// one line: "done N". A test so knows how many kernels and ranges are between two moments.
#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>

#include <cstdio>
#include <cstdlib>

namespace {

__global__ void empty() {}

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
  std::exit(1);
}

}  // namespace

int main() {
  char line[64];
  check(cudaFree(nullptr));
  std::puts("ready");
  std::fflush(stdout);
  while (std::fgets(line, sizeof line, stdin) != nullptr) {
    const int launches = std::atoi(line);
    nvtxRangePushA("request");
    for (int i = 0; i < launches; ++i) empty<<<1, 1>>>();
    check(cudaDeviceSynchronize());
    nvtxRangePop();
    std::printf("done %d\n", launches);
    std::fflush(stdout);
  }
}
