/* A plug-in. run() works for 0.3 s of CPU time, and calls usleep() 20 times meanwhile. */
#define _DEFAULT_SOURCE
#include <time.h>
#include <unistd.h>

static volatile unsigned long g_sink;

__attribute__((noinline, noclone)) void WORK_NAME(clock_t end) {
  while (clock() < end)
    for (long i = 0; i < 100000; ++i) g_sink = g_sink + 1;
  usleep(1000);
  g_sink = g_sink + 1;
}

void run(void) {
  for (int i = 0; i < 20; ++i) WORK_NAME(clock() + CLOCKS_PER_SEC * 3 / 200);
}
