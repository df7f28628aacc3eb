// Changes the pointers through which loaded objects call functions (their global offset tables,
// GOT), where the name of a function must not be exported. Functions that a program gets from dlsym
// are not seen.
#pragma once

#include <cstddef>

#include "injection/core/symbols/elf_object.hpp"

namespace prof::core {

struct Redirection {
  // True if the pointers of the object are changed.
  bool (*changes)(const ElfObject& object);
  // Returns what is called instead of the function; null: the function itself.
  void* (*instead)(const char* name);
  // Also pointers to functions that the object defines itself.
  bool own_functions = false;
};

// Changes the pointers of the object that contains the address, or of all objects if it is null.
// Pointers that are null, because nobody defines the function, stay null. Takes the loader's lock.
// Returns the number of pointers.
std::size_t redirect_pointers(const Redirection& redirection, const void* address);

}  // namespace prof::core
