// A thread that reports a launch that does not end while it is profiled: a kernel that waits for
// another one hangs when it runs alone or twice. It also ends batches that have been open for long.
#pragma once

namespace prof::cuda::kernels {

// A launch of this kernel begins to be profiled; null: it has ended. The first call starts the
// thread that watches.
void watch_launch(const char* name);

}  // namespace prof::cuda::kernels
