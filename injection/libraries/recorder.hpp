// What the preload libraries of this folder ask of libprof_inject.so, the only thing that they use
// of it. Thread state, arena, capture ranges and forks are thus the same as for OS-runtime calls.
#pragma once

#include <cstdint>

// Weak in a preload library: where libprof_inject.so is not loaded they are null, and the library
// does nothing but forward.
#ifdef PROF_LIBRARY
#define PROF_RECORDER extern "C" __attribute__((visibility("default"), weak))
#else
#define PROF_RECORDER extern "C" __attribute__((visibility("default")))
#endif

// The clock's reading if a call of this wire::Library that begins now is to be recorded, else 0.
PROF_RECORDER std::uint64_t prof_begin_library_call(std::uint32_t library);

// The call that began at `start` has returned. `function`: its id on the wire.
PROF_RECORDER void prof_end_library_call(std::uint32_t function, const char* name,
                                         std::uint64_t start);

// Tells the collector that a function of the library is nowhere to be found.
PROF_RECORDER void prof_library_missing(std::uint32_t library);
