/* A thread forks while other threads record. The forking thread becomes the main thread of a new
 * process. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sys/wait.h>

#include "expect.h"

static volatile int g_stop;

static void work(int count) {
  const int fd = open("/dev/null", O_WRONLY);
  for (int i = 0; i < count; ++i)
    if (write(fd, "x", 1) != 1) _exit(3);
  close(fd);
}

static void* busy(void* unused) {
  (void)unused;
  while (!g_stop) work(10);
  return NULL;
}

static void* forker(void* children) {
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      work(50);
      _exit(0);
    }
    ((int*)children)[i] = (int)child;
    waitpid(child, NULL, 0);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[3];
  int children[20];
  pthread_create(&threads[0], NULL, busy, NULL);
  pthread_create(&threads[1], NULL, busy, NULL);
  pthread_create(&threads[2], NULL, forker, children);
  pthread_join(threads[2], NULL);
  g_stop = 1;
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  printf("{\"children\": [");
  for (int i = 0; i < 20; ++i) printf("%s%d", i ? ", " : "", children[i]);
  printf("]}\n");
  return 0;
}
