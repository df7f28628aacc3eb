// Works and waits at known lines of functions that are inlined, one and two levels deep. Prints the
// share of CPU time of each place. The test finds the lines by their marks.
#include <time.h>
#include <unistd.h>

#include <cstdio>

#define INLINED __attribute__((always_inline)) inline
#define NOT_INLINED __attribute__((noinline, noclone))

namespace {

constexpr long kUnit = 120'000'000;

volatile unsigned long g_sink;
double g_long_loop, g_short_loop, g_half, g_third, g_fifth;

double cpu_time() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace

extern "C" {

INLINED void step(long units, double& spent) {
  const double begin = cpu_time();
  for (long i = 0; i < units * kUnit * 3 / 4; ++i) g_sink = g_sink + 1;  // LINE: long loop
  const double middle = cpu_time();
  for (long i = 0; i < units * kUnit / 4; ++i) g_sink = g_sink + 1;  // LINE: short loop
  const double end = cpu_time();
  g_long_loop += middle - begin;
  g_short_loop += end - middle;
  spent += end - begin;
}

INLINED void between(long units) {
  step(units, g_half);  // LINE: two deep
}

NOT_INLINED void half() {
  between(5);  // LINE: half
  g_sink = g_sink + 1;
}

NOT_INLINED void third() {
  step(3, g_third);  // LINE: third
  g_sink = g_sink + 1;
}

NOT_INLINED void fifth() {
  const double begin = cpu_time();
  for (long i = 0; i < 2 * kUnit; ++i) g_sink = g_sink + 1;  // LINE: fifth
  g_fifth += cpu_time() - begin;
}

INLINED void pause_a_while() {
  usleep(50'000);  // LINE: pause
}

NOT_INLINED void waits() {
  pause_a_while();  // LINE: waits
  g_sink = g_sink + 1;
}
}

int main() {
  for (int round = 0; round < 2; ++round) {
    half();
    third();
    fifth();
    waits();
  }
  const double whole = (g_half + g_third + g_fifth) / 100;
  printf(
      "{\"long loop\": %.2f, \"short loop\": %.2f, \"half\": %.2f, \"third\": %.2f, "
      "\"fifth\": %.2f}\n",
      g_long_loop / whole, g_short_loop / whole, g_half / whole, g_third / whole, g_fifth / whole);
  return 0;
}
