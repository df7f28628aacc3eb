// What dlsym(RTLD_NEXT) finds, without its lock: in a signal handler, in the child of a
// multi-threaded fork, at any time. That makes it safe to look for a function when it is first
// called, and programs that run for a millisecond do not pay for hundreds of look-ups at start.
#pragma once

namespace prof::core {

// Notes which objects come behind this library in the order of search; false if that cannot be
// done. From the constructor: those are there before the program starts and stay until it ends.
bool note_next_objects();

// This library's, as the loader knows it; null before note_next_objects().
const char* library_path();

// Default version of the function in the first of them that has it. Null if none has, or if it is
// no plain function but one with a resolver of its own.
void* find_next(const char* name);

}  // namespace prof::core
