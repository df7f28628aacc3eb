// Phases in which it is known what a GPU does, each in an NVTX range: idle, all or half of the
// multiprocessors busy, busy for a quarter of the time, copies each way, reads and writes of memory,
// and tensor cores. Prints for each phase its rate of bytes or the share that is known.
//
//   known_duty [SECONDS OF A PHASE]
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>
#include <nvtx3/nvToolsExt.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::duration;

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}
void wait() { check(cudaDeviceSynchronize()); }

__global__ void spin(unsigned long long ns) {
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
  do asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  while (now - start < ns);
}

__global__ void read_all(const float4* data, float4* out, std::size_t count) {
  float4 sum{};
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    const float4 value = __ldcs(data + i);
    sum.x += value.x + value.y + value.z + value.w;
  }
  if (sum.x == 12345.0F) out[0] = sum;  // never, but the compiler does not know
}

__global__ void write_all(float4* data, std::size_t count) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride)
    __stcs(data + i, float4{1, 2, 3, 4});
}

__global__ void multiply(float* out, int rounds) {
  using namespace nvcuda;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[4];
  wmma::fill_fragment(a, __float2half(0.5F));
  wmma::fill_fragment(b, __float2half(0.25F));
  for (auto& sum : sums) wmma::fill_fragment(sum, 0.0F);
  for (int i = 0; i < rounds; ++i)
    for (auto& sum : sums) wmma::mma_sync(sum, a, b, sum);
  if (sums[0].x[0] == 1.5F) out[0] = sums[1].x[0] + sums[2].x[0] + sums[3].x[0];
}

double seconds = 0.4;
std::string answer;

// `work` returns the bytes that it moved. Whole times of it fill the phase.
void phase(const char* name, const std::function<double()>& work) {
  wait();
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  nvtxRangePushA(name);
  const auto start = Clock::now();
  double bytes = 0;
  do bytes += work();
  while (duration<double>(Clock::now() - start).count() < seconds);
  wait();
  const double took = duration<double>(Clock::now() - start).count();
  nvtxRangePop();
  char text[200];
  std::snprintf(text, sizeof text, "%s\"%s\": %.4g", answer.empty() ? "" : ", ", name, bytes / took);
  answer += text;
}

double idle() {
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (count > 1) seconds = std::atof(words[1]);
  int sms = 0;
  check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  constexpr std::size_t kMemory = std::size_t{4} << 30;
  constexpr std::size_t kCopy = std::size_t{64} << 20;
  void *memory = nullptr, *host = nullptr, *out = nullptr;
  check(cudaMalloc(&memory, kMemory));
  check(cudaMallocHost(&host, kCopy));
  check(cudaMalloc(&out, 1024));
  check(cudaMemset(memory, 0, kMemory));
  auto* const data = static_cast<float4*>(memory);
  const auto spun = [&](int blocks, int threads, unsigned long long ns) {
    spin<<<blocks, threads>>>(ns);
    wait();
    return 0.0;
  };
  const auto copied = [&](void* to, const void* from, cudaMemcpyKind kind) {
    for (int i = 0; i < 8; ++i) check(cudaMemcpyAsync(to, from, kCopy, kind));
    wait();
    return 8.0 * kCopy;
  };
  spun(1, 1, 1000);
  multiply<<<1, 32>>>(static_cast<float*>(out), 1);
  read_all<<<1, 32>>>(data, static_cast<float4*>(out), 32);
  write_all<<<1, 32>>>(data, 32);

  phase("idle", idle);
  phase("all_sms", [&] { return spun(sms, 1024, 2'000'000); });
  phase("half_of_sms", [&] { return spun(sms / 2, 1024, 2'000'000); });
  phase("quarter_of_time", [&] {
    spun(sms, 64, 1'000'000);
    const auto until = Clock::now() + std::chrono::milliseconds(3);
    while (Clock::now() < until) {
    }
    return 0.0;
  });
  phase("to_gpu", [&] { return copied(memory, host, cudaMemcpyHostToDevice); });
  phase("from_gpu", [&] { return copied(host, memory, cudaMemcpyDeviceToHost); });
  phase("reads", [&] {
    for (int i = 0; i < 4; ++i)
      read_all<<<2 * sms, 1024>>>(data, static_cast<float4*>(out), kMemory / sizeof(float4));
    wait();
    return 4.0 * kMemory;
  });
  phase("writes", [&] {
    for (int i = 0; i < 4; ++i) write_all<<<2 * sms, 1024>>>(data, kMemory / sizeof(float4));
    wait();
    return 4.0 * kMemory;
  });
  phase("tensor_cores", [&] {
    multiply<<<8 * sms, 256>>>(static_cast<float*>(out), 20'000);
    wait();
    return 0.0;
  });
  check(cudaGetLastError());
  std::printf("{%s}\n", answer.c_str());
}
