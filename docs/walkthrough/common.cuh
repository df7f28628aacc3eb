// What the programs share: memory that the GPU and the CPU have, the time of a kernel, a check of its results.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

inline void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(2);
}

class Floats {
 public:
  explicit Floats(int number) : host_(number) {
    check(cudaMalloc(&device_, bytes()));
    clear();
  }
  float* device() { return device_; }
  void clear() { check(cudaMemset(device_, 0, bytes())); }

  template <class Value>
  void fill(Value value) {
    for (std::size_t i = 0; i < host_.size(); ++i) host_[i] = value(static_cast<int>(i));
    check(cudaMemcpy(device_, host_.data(), bytes(), cudaMemcpyHostToDevice));
  }

  // Returns the exit status: 0 if all values are right.
  template <class Value>
  int errors(Value value, float tolerance = 0) {
    check(cudaMemcpy(host_.data(), device_, bytes(), cudaMemcpyDeviceToHost));
    for (std::size_t i = 0; i < host_.size(); ++i)
      if (!(std::fabs(host_[i] - value(static_cast<int>(i))) <= tolerance)) return std::puts("wrong"), 1;
    return 0;
  }

 private:
  std::size_t bytes() const { return host_.size() * sizeof(float); }
  std::vector<float> host_;
  float* device_ = nullptr;
};

// Launches the kernel as often as the first argument says (100), and prints the median of its times.
template <class Launch>
void run(const char* name, int argc, char** argv, Launch launch) {
  const int launches = argc > 1 ? std::atoi(argv[1]) : 100;
  std::vector<float> times;
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  for (int i = 0; i < launches; ++i) {
    float ms = 0;
    check(cudaEventRecord(begin));
    launch();
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    check(cudaEventElapsedTime(&ms, begin, end));
    times.push_back(ms);
  }
  std::sort(times.begin(), times.end());
  std::printf("%s: %.1f us\n", name, 1000 * times[times.size() / 2]);
}
