// What the made-up GPU samples, for PC sampling.
#pragma once

#include <cuda.h>

#include <cstdint>

namespace fake {

// The stall reasons of the GPU, in this order.
inline constexpr const char* kStallReasons[] = {"selected", "long_scoreboard", "wait", "barrier"};

// Samples of an instruction with one stall reason.
struct GpuSample {
  std::uint64_t cubin;  // CRC
  const char* function;
  std::uint64_t offset;
  std::uint32_t reason;  // index in kStallReasons
  std::uint32_t samples;
  std::uint32_t not_issued;
};

// True if a context is sampled. CUPTI enables no activity then.
bool is_any_sampled();

// These return false if the context is not sampled: then nothing happens.
bool take_sample(CUcontext context, const GpuSample& sample);
bool drop_samples(CUcontext context, std::uint64_t samples);
bool take_others(CUcontext context,
                 std::uint64_t samples);  // of kernels that are not the program's

// The context of the program's calls that have no other.
CUcontext context_of_calls();

std::uint64_t crc_of(const void* cubin, std::size_t size);

}  // namespace fake
