// More kernels than the hardware trace holds.
#include <cuda.h>

#include <chrono>
#include <thread>

#include "modes.hpp"

namespace fake {

namespace {

constexpr int kPatience = 1000;  // ms

bool is_emptied() {
  for (int i = 0; i < kPatience; ++i) {
    if (held_records() == 0) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

}  // namespace

Json many_kernels(int number, int batch, int milliseconds) {
  cuInit(0);
  Gpu gpu;
  gpu.set_up();
  bool waits = milliseconds == 0;
  const auto begin = std::chrono::steady_clock::now();
  auto next = begin;
  for (int done = 0; done < number; ++done) {
    if (done != 0 && done % batch == 0) {
      std::this_thread::sleep_until(next += std::chrono::milliseconds(milliseconds));
      waits = waits && is_emptied();
    }
    CUpti_ActivityKernel10 kernel = gpu.kernel("_Z5saxpyfPfi", kFirst, 0);
    kernel.start = now();
    kernel.end = kernel.start + 1;
    put(kernel);
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  return {{"kernels", number}, {"seconds", seconds.count()}};
}

}  // namespace fake
