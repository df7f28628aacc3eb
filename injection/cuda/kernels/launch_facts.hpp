// What prof kernel knows about a launch from the parameters of the driver's function.
#pragma once

#include <cupti.h>

#include <cstdint>

#include "common/wire/cuda_records.hpp"
#include "injection/cuda/kernels/selection/selection.hpp"

namespace prof::cuda::kernels {

// Finds the driver's functions for the following questions. Called once.
void find_work();
// True for functions that make GPUs work or change what memory they see.
bool is_work(CUpti_CallbackId id);
// True for functions that launch graphs, or kernels on several GPUs, or end a context.
bool needs_counters_off(CUpti_CallbackId id);
// True for functions after which CUPTI's Stop would be an error of the program's.
bool needs_no_batch(CUpti_CallbackId id);

// Fills `launch`. Returns false if the function launches no single kernel.
bool read_launch(CUpti_CallbackId id, const CUpti_CallbackData& data, Launch& launch);

// Launches the kernel of a call once more, and waits for it. The caller keeps callbacks from seeing
// that. Returns false if it fails.
bool launch_again(CUpti_CallbackId id, const CUpti_CallbackData& data);

// True for kernels of libraries that wait for kernels of other processes or GPUs.
bool waits_for_others(const char* name);

// True if the stream records its work into a graph instead of doing it.
bool is_captured(CUstream stream);

// Returns the record of the kernel, which CUPTI does not write. Its start is that of
// set_duration(). `end`: ns.
wire::CudaKernelRecord kernel_of(const Launch& launch, std::uint32_t correlation,
                                 std::uint64_t end);

}  // namespace prof::cuda::kernels
