/* A server with a pool of threads that wait all the time. Its main thread works in two functions.
 * Usage: two_versions PARTS. render_page() loops 5 million times PARTS, parse_request() times 100.
 * No two calls take the same time: the kernel takes samples at its ticks, and a period like theirs
 * would hide a function. The loops use no memory: some processors forward what was stored in no
 * time or in five cycles, as it happens.
 */
#include <pthread.h>
#include <stdlib.h>

#define NOT_INLINED __attribute__((noinline, noclone))
#define POOL 4
#define KEEP(value) __asm__ volatile("" : "+r"(value))

static pthread_mutex_t g_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t g_work = PTHREAD_COND_INITIALIZER;
static int g_stopped;

NOT_INLINED static void parse_request(long count) {
  for (long i = 0; i < count; ++i) KEEP(i);
}

NOT_INLINED static void render_page(long count) {
  for (long i = 0; i < count; ++i) KEEP(i);
}

static void* wait_for_work(void* unused) {
  pthread_mutex_lock(&g_mutex);
  while (!g_stopped) pthread_cond_wait(&g_work, &g_mutex);
  pthread_mutex_unlock(&g_mutex);
  return unused;
}

int main(int argc, char** argv) {
  const long parts = argc > 1 ? atol(argv[1]) : 100;
  pthread_t pool[POOL];
  for (int i = 0; i < POOL; ++i) pthread_create(&pool[i], NULL, wait_for_work, NULL);
  for (int i = 0; i < 100; ++i) {
    parse_request(100000L * (i * 37 % 100 + 1));
    render_page(parts * 1000 * (i * 53 % 100 + 1));
  }
  pthread_mutex_lock(&g_mutex);
  g_stopped = 1;
  pthread_cond_broadcast(&g_work);
  pthread_mutex_unlock(&g_mutex);
  for (int i = 0; i < POOL; ++i) pthread_join(pool[i], NULL);
  return 0;
}
