// Patches the pointers of objects that the program loads after prof has attached to it.
//
// dlopen and dlsym depend on their caller, so prof's wrappers jump to them and are not returned to.
// The wrapper of dlopen only sets a flag. When the program then looks up a function in the loaded
// object, the wrapper of dlsym patches the object before the look-up.
//
// A client of NVTX looks for a tool in the environment, by getenv, when it is first used.
#pragma once

#include <cstdint>

#include "injection/core/process_lock.hpp"

namespace prof::attach {

// Returns the wrapper of a function of the loader, or of getenv; null if there is none.
void* loading_function(const char* name);

// Looks up the real functions. Returns false if one is missing.
bool prepare_loading();

// These begin and end the watching. end_loading() waits until no thread is patching any more.
void begin_loading();
void end_loading();

// The thread that patches or restores holds this lock.
extern core::ProcessLock g_patching;

}  // namespace prof::attach
