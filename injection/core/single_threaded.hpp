// Finds out whether the process has one thread, as far as libc knows.
#pragma once

namespace prof::core {

// Points to __libc_single_threaded, or to 0 before glibc 2.32 and until the library is loaded.
extern const char* g_single_threaded __attribute__((visibility("hidden")));

inline bool is_single_threaded() { return *g_single_threaded != 0; }

}  // namespace prof::core
