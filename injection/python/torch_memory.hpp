// Records what PyTorch's allocators hand out and take back (--pytorch=memory).
//
// The allocator of each device tells c10::reportMemoryUsageToProfiler() of every change, with the
// sums, whether or not a profiler of PyTorch runs. The allocator for CPUs only does so while one
// runs. prof redirects the pointers to that function and to its brother for failed requests, so the
// program's own profilers see the same as without prof.
#pragma once

namespace prof::python {

// Call it once, when PyTorch has been loaded. Returns false if its library libc10.so does not have
// both functions as PyTorch 2.2 to 2.12 have them.
bool record_torch_memory();

}  // namespace prof::python
