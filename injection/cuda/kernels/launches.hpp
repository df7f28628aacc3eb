// prof kernel in the program: profiles launches of kernels between the entry and the exit of the
// driver's functions.
#pragma once

#include <cupti.h>

namespace prof::cuda::kernels {

// True if this session profiles kernels.
bool is_on();

// True if prof has the counters of a context.
bool is_counting();
// From now on no launch is profiled, because the program uses the GPU's counters itself.
void yield();

// Reads the plan. Called before CUPTI is subscribed to.
void start();
// Called after CUPTI is subscribed to.
void on_subscribed();

// Called once at the end of the program: writes what is not written yet.
void end();

// Called at the entry and exit of a function of the driver, before and after our tracer.
void before_call(CUpti_CallbackId id, const CUpti_CallbackData& data);
void after_call(CUpti_CallbackId id, const CUpti_CallbackData& data);

}  // namespace prof::cuda::kernels
