/* Calls functions of which glibc has several versions. CMake compiles it into libraries that differ
   in the version that they ask for: with -nodefaultlibs  none, like plug-ins that are linked
   without libc with ASK_FOR_OLD     the oldest, like programs that were linked long ago */
#include "versioned_functions.h"

#define VERSIONED(name, ret, params, args, old, newest) ret wanted_##name params ASK(name, old);
#ifdef ASK_FOR_OLD
#define LIBRARY of_old_library
#define ASK(name, old)
#else
#define LIBRARY of_unversioned_library
#define ASK(name, old) __asm__(#name)
#endif
#include "versioned_functions.def"
#undef VERSIONED

#ifdef ASK_FOR_OLD
#define VERSIONED(name, ret, params, args, old, newest) \
  __asm__(".symver wanted_" #name ", " #name "@" old);
#include "versioned_functions.def"
#undef VERSIONED
#endif

#define VERSIONED(name, ret, params, args, old, newest) \
  static ret call_##name params { return wanted_##name args; }
#include "versioned_functions.def"
#undef VERSIONED

const struct functions LIBRARY = {
#define VERSIONED(name, ret, params, args, old, newest) .name = call_##name,
#include "versioned_functions.def"
#undef VERSIONED
};
