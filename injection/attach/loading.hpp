// Objects that the program loads after prof has attached to it: their pointers are patched too.
//
// What dlopen and dlsym do depends on their caller, so prof's wrappers jump to them and never come
// back. dlopen only takes a note. A program that has loaded an object looks a function up in it:
// then the object is patched, before the look-up.
//
// A client of NVTX looks for a tool in the environment, by getenv, when it is first used.
#pragma once

#include <cstdint>

#include "injection/core/process_lock.hpp"

namespace prof::attach {

// The wrapper of a function of the loader, or of getenv; null: there is none.
void* loading_function(const char* name);

// Looks up the real functions. False if one is missing.
bool prepare_loading();

// Begins to watch, and ends it. Waits until no thread is patching any more.
void begin_loading();
void end_loading();

// Held by the thread that patches or restores: one at a time.
extern core::ProcessLock g_patching;

}  // namespace prof::attach
