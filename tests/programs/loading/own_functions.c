/* Each function returns its own sum, so that one that is taken for another shows, too. */
#include "loading/own_functions.h"

static long g_calls;

long calls_of_own_functions(void) { return g_calls; }

#define DEFINE(name)       \
  double name PARAMETERS { \
    ++g_calls;             \
    return SUM;            \
  }
#define OSRT(name, ret, params, args, category, flags, version) DEFINE(name)
#define OSRT_ALIAS(symbol, name, ret, params, args, flags) DEFINE(symbol)
#define OSRT_VERSION(id, name, ret, params, args, flags, version)
#include "common/wire/functions/osrt.def"
FOR_EACH_FUNCTION(DEFINE)
