// One thread at a time profiles a launch, and the work of other threads waits meanwhile: CUPTI
// would count their kernels, too, and what they copy would be lost when it restores the memory for
// the next pass.
#pragma once

namespace prof::cuda::kernels {

// Called before and after each call that makes GPUs work. The first waits while a launch is
// profiled.
void enter_work();
void leave_work();

// Called between the two. Becomes the owner of the profiler when all other calls have ended.
// Returns false if that takes too long, as when another thread profiles a kernel that waits for
// this one.
bool become_owner();
// Called outside of the two. Returns false at once if a GPU is given work.
bool become_owner_of_idle();
void release_ownership();

// True if the calling thread is the owner.
bool is_owner();

}  // namespace prof::cuda::kernels
