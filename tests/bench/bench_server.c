/* A server with load, for flight_recorder.py. Usage: bench_server THREADS ROUNDS PAUSE_US
 * For each line with a number of milliseconds on its input, its threads answer requests for that
 * long. A request is an NVTX range with ROUNDS rounds of computing and two messages through a pair
 * of sockets; then the thread pauses. Prints the requests, their CPU time and their median, 99th
 * percentile and longest time, in ns. */
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { kMaxTimes = 4000000 };
static long g_rounds, g_pause_us;
static int64_t g_end;
static uint32_t* g_times;
static long g_count;
static volatile uint64_t g_result;

static int64_t now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void answer(const int* sockets, uint64_t* state) {
  char buffer[64] = {0};
  nvtxRangePushA("request");
  if (write(sockets[0], buffer, sizeof buffer) != sizeof buffer) abort();
  if (read(sockets[1], buffer, sizeof buffer) != sizeof buffer) abort();
  for (long i = 0; i < g_rounds; ++i) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
  }
  nvtxRangePop();
}

static void* serve(void* unused) {
  (void)unused;
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0) abort();
  uint64_t state = 88172645463325252u;
  for (;;) {
    const int64_t begin = now(CLOCK_MONOTONIC);
    if (begin >= g_end) break;
    answer(sockets, &state);
    const int64_t took = now(CLOCK_MONOTONIC) - begin;
    const long at = __atomic_fetch_add(&g_count, 1, __ATOMIC_RELAXED);
    if (at < kMaxTimes) g_times[at] = took > UINT32_MAX ? UINT32_MAX : (uint32_t)took;
    if (g_pause_us != 0) usleep((useconds_t)g_pause_us);
  }
  g_result = state;
  close(sockets[0]);
  close(sockets[1]);
  return NULL;
}

static int compare(const void* left, const void* right) {
  const uint32_t a = *(const uint32_t*)left, b = *(const uint32_t*)right;
  return a < b ? -1 : a > b;
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const int threads = atoi(argv[1]);
  g_rounds = atol(argv[2]);
  g_pause_us = atol(argv[3]);
  g_times = calloc(kMaxTimes, sizeof *g_times);
  pthread_t* running = calloc((size_t)threads, sizeof *running);
  char line[32];
  puts("ready");
  fflush(stdout);
  while (fgets(line, sizeof line, stdin) != NULL) {
    g_count = 0;
    g_end = now(CLOCK_MONOTONIC) + atol(line) * 1000000LL;
    const int64_t cpu = now(CLOCK_PROCESS_CPUTIME_ID);
    for (int i = 0; i < threads; ++i) pthread_create(&running[i], NULL, serve, NULL);
    for (int i = 0; i < threads; ++i) pthread_join(running[i], NULL);
    const double used = (double)(now(CLOCK_PROCESS_CPUTIME_ID) - cpu);
    const long count = g_count < kMaxTimes ? g_count : kMaxTimes;
    qsort(g_times, (size_t)count, sizeof *g_times, compare);
    printf("%ld %.0f %u %u %u\n", g_count, used / (double)(g_count != 0 ? g_count : 1),
           g_times[count / 2], g_times[(count - 1) * 99 / 100],
           g_times[count != 0 ? count - 1 : 0]);
    fflush(stdout);
  }
  return 0;
}
