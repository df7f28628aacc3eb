// The modes of fake_cuda_app. Each prints or returns what a report must contain.
#pragma once

#include "gpu.hpp"

namespace fake {

// A bit of everything, on several threads.
Json work();

// Threads that wait for the GPU.
Json waits();

// Launches kernels for some seconds. The grid of each is one block larger than that of the last.
// `migrates`: after each, unified memory migrates, of as many bytes as the grid has blocks.
Json serve(double seconds, bool migrates);
// Does the same, and what its input says, until that ends.
Json obey();

// Launches kernels in batches and never waits for the GPU. With 0 ms, the next batch comes when the
// hardware trace was emptied, or at once if it was not emptied in time before.
Json many_kernels(int number, int batch, int milliseconds);

// Takes PC samples of kernels in rounds, of some ms each, and ends with `ending`: "plain" (the
// context still exists), "destroyed", "forked", "executed", or "reloaded" (a module takes the place
// of another one in between), "own_first" or "own_later" (the program itself begins to sample),
// "late" (the context exists before anybody samples), "two_contexts" (of one GPU), "range" (in a
// range of the profiler API, too).
Json samples(int rounds, const std::string& ending);

// Some work, and then one way to end.
int end_by(const std::string& ending);

// Replays a recorded session (trace_format.hpp).
Json replay(const char* path);

}  // namespace fake
