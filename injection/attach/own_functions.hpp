// Finds the function of prof that replaces a function of the program's libraries.
#pragma once

#include <cstdint>

namespace prof::attach {

struct Wrapper {
  void* ours = nullptr;  // null: prof does not wrap the function
  void* real = nullptr;  // the function to which the program's pointer leads
};

// Returns the wrapper of a function. `version` may be null. Only one thread may call this at a
// time.
Wrapper find_wrapper(const char* name, const char* version);

// True if this is a function of prof.
bool is_ours(const void* function);

}  // namespace prof::attach
