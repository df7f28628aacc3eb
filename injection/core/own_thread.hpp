// Threads of prof in the program. Only CUPTI, and NVTX in a session (prof launch), need them.
#pragma once

namespace prof::core {

// Starts a detached thread that records nothing and blocks the program's signals. `name` has static
// storage. Returns false if the process cannot start another thread.
bool start_own_thread(void* (*run)(void* name), const char* name);
// Prepares such a thread. It calls this function first.
void begin_own_thread(void* name);

}  // namespace prof::core
