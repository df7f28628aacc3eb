// Threads of prof in the program. There are none unless CUPTI, or NVTX in a session on demand, has
// something for them to do.
#pragma once

namespace prof::core {

// Starts a detached thread that records nothing and blocks the program's signals. `name` has static
// storage. Returns false if the process cannot start another thread.
bool start_own_thread(void* (*run)(void* name), const char* name);
// What such a thread calls first.
void begin_own_thread(void* name);

}  // namespace prof::core
