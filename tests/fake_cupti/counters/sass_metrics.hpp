// The fake's SASS metrics: what instructions of kernels do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace fake {

// Counts a kernel, if its code is patched. Each kernel has four instructions: one without memory, a
// load of 32 sectors where 4 would do, an access to shared memory with 32-way conflicts, and a
// branch at which the threads of a warp part.
void count_instructions(const std::string& kernel, std::uint64_t cubin, std::uint64_t warps);

// CRC of the cubin of all kernels.
void set_code_of_kernels(std::uint64_t cubin);
std::uint64_t code_of_kernels();

// cuptiProfilerInitialize() was called. Without it CUDA 13.0 crashes in functions of SASS metrics.
void set_profiler_initialized();

// False while code is patched: then the range profiler counts what the patches do.
bool is_code_original();

}  // namespace fake
