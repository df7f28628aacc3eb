// CUPTI's host interface: which metrics a GPU has, and in how many passes it counts them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "injection/cuda/kernels/range_api.hpp"

namespace prof::cuda::kernels {

// What CUPTI needs to know about a GPU before it plans.
struct Gpu {
  const char* chip = nullptr;
  std::uint8_t* availability = nullptr;
};

// Asks CUPTI about a GPU. `context`: one of the GPU's.
Failure describe_gpu(std::uint32_t device, CUcontext context, Gpu& gpu);

// Makes an object with these metrics. If one of them is unknown, there is no object. An object that
// has refused a metric cannot be used again.
Failure open_host(const Gpu& gpu, const char** names, std::size_t count,
                  CUpti_Profiler_Host_Object*& host);
void close_host(CUpti_Profiler_Host_Object*& host);

// CUPTI's configuration of the counters.
struct ConfigImage {
  std::uint8_t* bytes = nullptr;
  std::size_t size = 0;
  std::size_t passes = 0;
};

// Makes the image of the object's metrics in lasting memory.
Failure make_image(CUpti_Profiler_Host_Object* host, ConfigImage& image);

// Returns how many passes the metrics take; 0: one of them is unknown.
std::size_t passes_of(const Gpu& gpu, const char** names, std::size_t count);

// Memory that lasts until the process ends. Returns null if there is none.
std::uint8_t* lasting_memory(std::size_t bytes);

}  // namespace prof::cuda::kernels
