/* Calls a library's own functions, which have the names of libc's. Prints those that get wrong
 * arguments. */
#include "loading/own_functions.h"

/* The headers of libc declare other functions. */
void* dlopen(const char* path, int mode);
void* dlsym(void* library, const char* name);
enum { kNow = 2 };

long calls_of_own_functions(void);

#define DECLARE(name) double name PARAMETERS;
#define OSRT(name, ret, params, args, category, flags, version) DECLARE(name)
#define OSRT_ALIAS(symbol, name, ret, params, args, flags) DECLARE(symbol)
#define OSRT_VERSION(id, name, ret, params, args, flags, version)
#include "common/wire/functions/osrt.def"
#undef OSRT
#undef OSRT_ALIAS
FOR_EACH_FUNCTION(DECLARE)

static double expected PARAMETERS { return SUM; }

int main(void) {
  /* The library has functions with the names of printf and write, too. */
  int (*const print)(int, const char*, ...) = dlsym(dlopen("libc.so.6", kNow), "dprintf");
  long calls = 0;
  for (int round = 0; round < 2; ++round) {
#define CALL(name) \
  ++calls;         \
  if (name ARGUMENTS != expected ARGUMENTS) print(1, "%s\n", #name);
#define OSRT(name, ret, params, args, category, flags, version) CALL(name)
#define OSRT_ALIAS(symbol, name, ret, params, args, flags) CALL(symbol)
#include "common/wire/functions/osrt.def"
    FOR_EACH_FUNCTION(CALL)
  }
  print(1, "%ld calls, %ld missing\n", calls, calls - calls_of_own_functions());
  return 3;
}
