/* More threads at once than the event buffer has chunks at first. They start a few at a time: what
 * is tested is that the buffer grows, not how soon the machine gives the profiler a CPU. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_barrier_t g_barrier;
static int g_null;

static void* body(void* unused) {
  (void)unused;
  for (int i = 0; i < 10; ++i) {
    if (write(g_null, "x", 1) != 1) _exit(3);
    usleep(1000);
  }
  pthread_barrier_wait(&g_barrier);
  return NULL;
}

int main(int count, char** words) {
  const int threads = count > 1 ? atoi(words[1]) : 600;
  pthread_t* ids = malloc((size_t)threads * sizeof *ids);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 64 * 1024);
  g_null = open("/dev/null", O_WRONLY);
  pthread_barrier_init(&g_barrier, NULL, (unsigned)threads);
  for (int i = 0; i < threads; ++i) {
    if (pthread_create(&ids[i], &attributes, body, NULL) != 0) return 4;
    if (i % 32 == 31) usleep(4000);
  }
  for (int i = 0; i < threads; ++i) pthread_join(ids[i], NULL);
  printf("{\"write\": %d}\n", threads * 10);
  return 0;
}
