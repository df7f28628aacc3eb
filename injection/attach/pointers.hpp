// The pointers through which the program's objects call functions of other objects (their global
// offset tables, GOT). In a program that prof attaches to, the loader has already bound them. prof
// redirects the pointers to functions that it wraps to its wrappers, and restores them later.
//
// A thread may use a pointer at any moment, so each pointer is changed by one store. Objects that
// the loader is still loading are left alone: their protected part (RELRO) can still be written.
// The loader's lock is held meanwhile, so nothing is unloaded.
#pragma once

#include <cstdint>

namespace prof::attach {

struct Patched {
  std::uint64_t pointers = 0;  // number of pointers that now lead to prof
  std::uint64_t left_out = 0;  // objects that are being loaded
};

// Patches every object that is loaded. An object that is already patched is checked again.
Patched patch_pointers();

// Restores the pointers. Returns how many pointers still lead to prof: 0, unless memory was
// missing.
std::uint64_t restore_pointers();

}  // namespace prof::attach
