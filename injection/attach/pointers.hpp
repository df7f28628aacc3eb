// The pointers through which the program's objects call functions of other objects (their global
// offset tables, GOT). In a program that prof attaches to, the loader has bound them already. Those
// that lead to a function that prof wraps are made to lead to the wrapper, and back.
//
// A thread may use a pointer at any moment, so each is changed by one store. What the loader is
// still working on is left alone: an object whose protected part (RELRO) can still be written is
// being loaded. The loader's lock is held meanwhile, so nothing is unloaded.
#pragma once

#include <cstdint>

namespace prof::attach {

struct Patched {
  std::uint64_t pointers = 0;  // that lead to prof now
  std::uint64_t left_out = 0;  // objects that are being loaded
};

// Patches every object that is loaded. Those that are patched already are looked at again.
Patched patch_pointers();

// Undoes it. Returns how many pointers still lead to prof: 0, unless there was no memory.
std::uint64_t restore_pointers();

}  // namespace prof::attach
