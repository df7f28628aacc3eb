// The address sanitizer's runtime ends a program if another library is loaded before it. For the
// program that prof starts, the launcher puts the runtime first. For child processes, and if the
// program preloads the runtime itself, this function switches the check off; the runtime's wrappers
// then run after ours. If a program defines the function too, the program's function is used.
#include "injection/core/record/wrap.hpp"

PROF_EXPORT const char* default_options() asm("__asan_default_options");
const char* default_options() { return "verify_asan_link_order=0"; }
