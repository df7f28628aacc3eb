// Launches that are counted in one pass are counted in batches, between one Start and one Stop of
// CUPTI's range profiler. On an H200 these take 40 ms, and a launch between them 1 ms.
//
// CUPTI counts every kernel of the context meanwhile. So a batch also has the launches that are not
// selected, as long as these are cheaper than a new batch. Only the owner of the profiler calls the
// functions, where nothing else is said.
#pragma once

#include <cstdint>

#include "common/wire/cuda_records.hpp"
#include "common/wire/kernel_records.hpp"
#include "injection/cuda/kernels/profiler.hpp"

namespace prof::cuda::kernels {

// True if the launches of a context are counted. Any thread may call it.
bool is_batch_open(CUcontext context);

// Called for each launch of the program. Any thread may call it.
void note_choice(bool is_selected);

// Opens a batch of the context, if none is open. A batch of another context ends.
Failure open_batch(CUcontext context, ChipPlan& made);

// Returns false if it is cheaper to end the batch than to count the next launch, which is not
// selected.
bool is_batch_worthwhile();

// A launch for the report. Without records: it was not selected.
struct BatchLaunch {
  bool is_selected;
  wire::KernelProfileRecord profile;
  wire::CudaKernelRecord kernel;  // its start is not known yet
};

// Adds a launch that CUPTI has counted.
void add_launch(const BatchLaunch& launch);

// Ends the batch, if one is open, and writes what was counted. `has_failed`: the last call has
// launched nothing, and may be counted or not.
void close_batch(bool has_failed = false);

// The same for a batch that has been open for a second. Called now and then, by no owner, so that
// little is lost if the program is killed.
void close_old_batch();
// The same at the end of the program.
void close_last_batch();

}  // namespace prof::cuda::kernels
