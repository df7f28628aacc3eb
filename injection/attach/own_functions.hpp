// Which function of prof replaces a function of the program's libraries.
#pragma once

#include <cstdint>

namespace prof::attach {

struct Wrapper {
  void* ours = nullptr;  // null: prof does not wrap the function
  void* real = nullptr;  // what a pointer of the program leads to
};

// `version` may be null. Used on one thread at a time.
Wrapper find_wrapper(const char* name, const char* version);

// Is this one of our functions?
bool is_ours(const void* function);

}  // namespace prof::attach
