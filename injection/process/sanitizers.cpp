// The address sanitizer's runtime ends a program that loads another library before it (pitfall
// 4.26). The launcher puts it first for the program it starts; for children, and where the program
// preloads the runtime itself, it is told not to mind: behind us its wrappers are called by ours.
// It asks this function, which a program may define too; then the program's own is the one found.
#include "injection/core/record/wrap.hpp"

PROF_WRAPPER(__asan_default_options, const char*, ()) { return "verify_asan_link_order=0"; }
