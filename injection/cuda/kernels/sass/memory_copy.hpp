// A copy of what a kernel can change, for a run that the program does not see: NVIDIA's
// libcheckpoint, which lies beside libcupti.
#pragma once

#include <cuda.h>

namespace prof::cuda::kernels {

// Returns false if there is no libcheckpoint.
bool can_copy_memory();

// Copies the memory of a context. Returns false if it cannot, as when the GPU has no room for it.
bool copy_memory(CUcontext context);

// Writes the last copy back, and frees it. Returns false if it cannot.
bool write_memory_back();

}  // namespace prof::cuda::kernels
