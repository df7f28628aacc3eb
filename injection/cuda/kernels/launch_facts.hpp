// What prof kernel knows about a launch from the parameters of the driver's function.
#pragma once

#include <cupti.h>

#include <cstdint>

#include "injection/cuda/kernels/selection.hpp"

namespace prof::cuda::kernels {

// Finds the driver's functions for the following two questions. Called once.
void find_work();
// True for functions that make GPUs work or change what memory they see.
bool is_work(CUpti_CallbackId id);
// True for functions that launch graphs, or kernels on several GPUs, or end a context.
bool needs_counters_off(CUpti_CallbackId id);

// Fills `launch`. Returns false if the function launches no single kernel.
bool read_launch(CUpti_CallbackId id, const CUpti_CallbackData& data, Launch& launch);

// Launches the kernel of a call once more, and waits for it. The caller keeps callbacks from seeing
// that. Returns false if it fails.
bool launch_again(CUpti_CallbackId id, const CUpti_CallbackData& data);

// True for kernels of libraries that wait for kernels of other processes or GPUs.
bool waits_for_others(const char* name);

// True if the stream records its work into a graph instead of doing it.
bool is_captured(CUstream stream);

// Writes the row of the kernel in CUPTI's stead. `end`: ns; `duration`: ns.
void write_kernel(const Launch& launch, std::uint32_t correlation, std::uint64_t end,
                  std::uint64_t duration);

}  // namespace prof::cuda::kernels
