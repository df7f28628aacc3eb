/* Works alternately in two functions, whose names the build gives, and has no build-id. Usage:
 * two_functions SECONDS of CPU time. */
#include <stdlib.h>
#include <time.h>

#define NOT_INLINED __attribute__((noinline, noclone))

static volatile unsigned long g_sink;

NOT_INLINED static void FIRST_NAME(long count) {
  for (long i = 0; i < count; ++i) g_sink = g_sink + 1;
}

NOT_INLINED static void SECOND_NAME(long count) {
  for (long i = 0; i < count; ++i) g_sink = g_sink + 2;
}

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? atof(argv[1]) : 0.3;
  while ((double)clock() / CLOCKS_PER_SEC < seconds) {
    FIRST_NAME(100000);
    SECOND_NAME(100000);
  }
  return 0;
}
