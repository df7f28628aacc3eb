// Records the events that an OpenACC runtime reports.
#pragma once

#include "injection/openacc/profiling_abi.hpp"

namespace prof::openacc {

// Registers callbacks for all events with a runtime. Only the first call for each `add` does so.
void register_callbacks(Register add);

// Sets where the thread's next events come from: the code that calls the runtime.
void set_caller(const void* caller);

}  // namespace prof::openacc
