// What fake_cuda_app can do; each part prints or returns what a report must say of it.
#pragma once

#include "gpu.hpp"

namespace fake {

// A bit of everything, on several threads.
Json work();

// Threads that wait for the GPU.
Json waits();

// A part of the work, and then an end.
int end_by(const std::string& ending);

// What was recorded elsewhere (trace_format.hpp).
Json replay(const char* path);

}  // namespace fake
